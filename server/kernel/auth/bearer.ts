import { errors, type JWTPayload, jwtVerify } from 'jose'
import { ApiError } from '#lib/errors.ts'
import { parseCompactJws } from './gate.ts'
import { apiAudience, issuerOf, realmUrl, slugOfIssuer } from './realm.ts'
import { findRealmKey } from './realm-keys.ts'

/** What a verified access token says. Whether the subject may do anything is the membership's affair. */
export type VerifiedToken = {
  /** As members record it: see issuerOf() for our own realms. */
  issuer: string
  subject: string
  tenantExternalId: string | undefined
  roles: string[]
  username?: string
  /** Milliseconds since the epoch. */
  expiresAt: number
  /** The client that the token was issued to. */
  authorizedParty: string | undefined
}

/** Seconds by which another machine's clock may be ahead of ours: for `nbf` only, an expired token is expired. */
const clockTolerance = 5

/** Every refusal reads the same to the caller; the cause is for the log and holds no part of the token. */
const refused = (reason: string): ApiError =>
  new ApiError('unauthorized', 'The bearer token is missing, expired or invalid.', { cause: new Error(reason) })

/** Verifies an Authorization header of the form `Bearer <token>`. Throws ApiError 'unauthorized'. */
export const verifyBearer = async (authorizationHeader: string): Promise<VerifiedToken> =>
  (await readBearer(authorizationHeader)).token

/** The same, with all of the token's claims. */
export async function readBearer(authorizationHeader: string): Promise<{ token: VerifiedToken; claims: JWTPayload }> {
  const match = /^bearer ([^\s]+)$/i.exec(authorizationHeader)
  if (match?.[1] === undefined) throw refused('the header is not of the form "Bearer <token>"')
  const verified = await verifyAccessToken(match[1])
  // A token that is bound to a key proves nothing without the key (RFC 9449, section 7.2).
  if (verified.claims.cnf !== undefined)
    throw refused('the token is bound to a key, and no proof of the key was asked for')
  return verified
}

/**
 * Verifies an access token of one of our own realms: gate, issuer, key, signature, type, audience, times, tenant. A token
 * that is bound to a key comes back too: it is for the caller to ask for the proof. Throws ApiError 'unauthorized'.
 */
export async function verifyAccessToken(compact: string): Promise<{ token: VerifiedToken; claims: JWTPayload }> {
  const unverified = parseCompactJws(compact)
  if (unverified === undefined) throw refused('the token is not a compact JWS in its canonical spelling')
  const slug = slugOfIssuer(unverified.payload.iss)
  if (slug === undefined) throw refused('the issuer is not one of our realms')
  const { kid } = unverified.header
  const known = typeof kid === 'string' ? await findRealmKey(slug, kid) : undefined
  if (known === undefined) throw refused('the realm or its key is unknown')
  const claims = await verifySignature(compact, known.key, realmUrl(slug))
  const token = tokenOf(claims, issuerOf(slug))
  if (token.expiresAt <= Date.now()) throw refused('the token has expired')
  // A realm speaks for its own tenant only.
  if (token.tenantExternalId !== undefined && token.tenantExternalId !== known.tenantExternalId)
    throw refused("the token names a tenant that is not the realm's")
  return { token, claims }
}

async function verifySignature(
  compact: string,
  key: Parameters<typeof jwtVerify>[1],
  issuer: string,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(compact, key, {
      algorithms: ['ES256'],
      typ: 'at+jwt',
      issuer,
      audience: apiAudience,
      clockTolerance,
      requiredClaims: ['sub', 'exp', 'iat'],
    })
    return payload
  } catch (error) {
    if (error instanceof errors.JOSEError) throw refused(`${error.code}: ${error.message}`)
    throw error
  }
}

function tokenOf(claims: JWTPayload, issuer: string): VerifiedToken {
  const { sub, exp, tenant, azp, client_id: clientId, preferred_username: username } = claims
  if (typeof sub !== 'string' || sub === '' || exp === undefined) throw refused('the token has no subject or no end')
  if (tenant !== undefined && typeof tenant !== 'string') throw refused('the tenant claim is not a string')
  const party = azp ?? clientId
  return {
    issuer,
    subject: sub,
    tenantExternalId: tenant,
    roles: rolesOf(claims.realm_access),
    ...(typeof username === 'string' ? { username } : {}),
    expiresAt: exp * 1000,
    authorizedParty: typeof party === 'string' ? party : undefined,
  }
}

/** Keycloak's shape: `realm_access: { roles: [...] }`. Anything else grants nothing. */
function rolesOf(access: unknown): string[] {
  if (typeof access !== 'object' || access === null || !('roles' in access) || !Array.isArray(access.roles)) return []
  return access.roles.filter((role) => typeof role === 'string')
}
