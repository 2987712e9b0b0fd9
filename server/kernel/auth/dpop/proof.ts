import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWSHeaderParameters, type JWTPayload, jwtVerify } from 'jose'
import { CredentialRefused, proofAlgorithms } from '#server/kernel/auth/challenge.ts'
import { parseCompactJws } from '#server/kernel/auth/gate.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** A request in the form that its proof must name. */
export type ProvenRequest = {
  method: string
  /** Path below the public origin, without the query. */
  path: string
  /** The query, which a proof does not name. */
  query?: string
  /** The public origin, if it is not BASE_URL. */
  origin?: string
}

/** A proof that is valid for this request and token; whether it was used before is checked separately. */
export type Proof = {
  /** SHA-256 over the key and the proof's own id, which together identify the proof. */
  digest: Buffer
  /** When the proof is no longer accepted. */
  expiresAt: Date
}

/** Seconds, as at the product's token endpoint. */
const maxAge = 60
/** Seconds by which the caller's clock may be ahead. */
const clockTolerance = 5
const maxProofLength = 4096
const maxIdLength = 256

const refused = (reason: string) =>
  new CredentialRefused(
    { scheme: 'DPoP', error: 'invalid_dpop_proof' },
    'The DPoP proof is missing, expired or invalid.',
    reason,
  )

/**
 * Verifies the proof that comes with `accessToken` (RFC 9449, section 4.3): it has the token's key and was made
 * recently, for this request and this token. Addresses are compared with the public origin (BASE_URL), never with the
 * host that the caller claims. Throws ApiError 'unauthorized'.
 */
export async function verifyProof(
  proof: string | undefined,
  { accessToken, confirmation, request }: { accessToken: string; confirmation: unknown; request: ProvenRequest },
): Promise<Proof> {
  if (proof === undefined || proof.length > maxProofLength || parseCompactJws(proof) === undefined)
    throw refused('the header is not exactly one compact proof')
  const { protectedHeader, payload } = await verifySignature(proof)
  const thumbprint = await calculateJwkThumbprint(protectedHeader.jwk ?? {})
  if (thumbprint !== thumbprintIn(confirmation)) throw refused('the token is not bound to the key of the proof')
  const wrong = wrongContent(payload, accessToken, request)
  if (wrong !== undefined) throw refused(wrong)
  const { jti = '', iat = 0 } = payload
  return {
    digest: createHash('sha256').update(`${thumbprint}.${jti}`).digest(),
    expiresAt: new Date((iat + maxAge + clockTolerance) * 1000),
  }
}

export const usedBefore = (): Error => refused('the proof has already been used')

async function verifySignature(proof: string): Promise<{ protectedHeader: JWSHeaderParameters; payload: JWTPayload }> {
  try {
    // The proof contains the public key only: the library refuses a private key.
    return await jwtVerify(proof, EmbeddedJWK, { algorithms: [...proofAlgorithms], typ: 'dpop+jwt' })
  } catch (error) {
    if (error instanceof errors.JOSEError) throw refused(`${error.code}: ${error.message}`)
    // A value that is not a key, or a key that does not fit the algorithm.
    if (error instanceof TypeError || error instanceof DOMException) throw refused('the key of the proof is unusable')
    throw error
  }
}

/** The other methods in IANA's registry of JWT confirmation methods. */
const otherConfirmations = ['jwk', 'jwe', 'kid', 'jku', 'x5t#S256', 'osc']

/**
 * The thumbprint of the key that the token is bound to. As RFC 7800, section 3.1, requires, unknown members are ignored, such as
 * Keycloak's `kc-jkt-type`. A token that another registered method also binds is refused, because that method would remain unchecked.
 */
function thumbprintIn(confirmation: unknown): string | undefined {
  if (typeof confirmation !== 'object' || confirmation === null || !('jkt' in confirmation)) return undefined
  const { jkt } = confirmation
  if (otherConfirmations.some((name) => Object.hasOwn(confirmation, name))) return undefined
  return typeof jkt === 'string' ? jkt : undefined
}

function wrongContent(
  payload: JWTPayload,
  accessToken: string,
  { method, path, origin = runtime().config.baseUrl }: ProvenRequest,
): string | undefined {
  const { iat, jti, htm, htu, ath, nonce } = payload
  const age = typeof iat === 'number' ? Date.now() / 1000 - iat : Number.NaN
  if (!(age <= maxAge && age >= -clockTolerance)) return 'the proof was not made recently'
  if (typeof jti !== 'string' || jti === '' || jti.length > maxIdLength) return 'the proof does not have a usable id'
  if (htm !== method) return 'the proof is for another method'
  if (addressOf(htu) !== addressOf(`${origin}${path}`)) return 'the proof is for another address'
  if (ath !== createHash('sha256').update(accessToken).digest('base64url')) return 'the proof is for another token'
  if (nonce !== undefined) return 'the proof contains an unknown nonce'
  return undefined
}

/** Without query and fragment, normalized according to RFC 3986, section 6.2. */
function addressOf(text: unknown): string | undefined {
  const url = typeof text === 'string' ? URL.parse(text) : null
  if (url === null) return undefined
  url.search = ''
  url.hash = ''
  return url.href
}
