import { errors, type JWTPayload, UnsecuredJWT } from 'jose'
import { CredentialRefused } from './challenge.ts'
import { requireSignature } from './checked-signatures.ts'
import { type NewMember, newMemberOf, refuseForeign } from './external/foreign-token.ts'
import { parseCompactJws, type UnverifiedJws } from './gate.ts'
import { findIssuer, type Issuer, type TokenKey } from './issuers/issuer.ts'

/** The content of a verified access token. The membership decides what the subject may do. */
export type VerifiedToken = {
  /** As members record it: relative for the product's own realms (issuerOf()), absolute for external issuers. */
  issuer: string
  subject: string
  tenantExternalId: string | undefined
  /** Of the product's own realms. For an external issuer, the tenant's settings say which of its `claims` names roles. */
  roles: string[]
  /** All claims, of an external issuer only. */
  claims: JWTPayload | undefined
  username?: string
  /** Milliseconds since the epoch, with a precision of seconds if the issuer gives no more. */
  issuedAt: number
  /** Milliseconds since the epoch. */
  expiresAt: number
  /** The client that the token was issued to. */
  authorizedParty: string | undefined
  /** The one address that the token is for, instead of the whole API (gateway-address.ts). */
  resource?: string
  /** The tenant that the issuer is trusted for, even if the token does not name it. */
  issuerTenant: string | undefined
  /** The sign-in at one of the product's own realms that the token belongs to; its end is the end of the token. */
  family: string | undefined
  /** The data for the membership that a first sign-in creates; only of issuers trusted by configuration. */
  newMember?: NewMember
}

export type AccessToken = { token: VerifiedToken; claims: JWTPayload }

/**
 * Seconds by which another machine's clock may be ahead. Applies only to `nbf` and `iat`: an expired token is expired.
 */
export const clockTolerance = 5
/** Seconds. A token that lives longer than a day is not accepted as an access token. */
export const longestLife = 86_400
/** OpenID Connect Core, section 2, limits a subject to 255 characters. */
export const subjectPattern = /^[^\p{Cc}]{1,255}$/u

/** Milliseconds since the epoch. */
export const issuedAtClaim = 'issued_at_ms'
/** Names the tokens of one sign-in at one client, which end together. */
export const familyClaim = 'token_family'

type Scheme = 'Bearer' | 'DPoP'

/**
 * Every refusal has the same message for the caller, except of a token that an external provider has signed; the cause is for the log
 * and contains no part of the token.
 */
const refused = (
  reason: string,
  scheme: Scheme = 'Bearer',
  message = `The ${scheme === 'Bearer' ? 'bearer' : 'DPoP'} token is missing, expired or invalid.`,
) => new CredentialRefused({ scheme, error: 'invalid_token' }, message, reason)

/**
 * A token that a trusted external provider has signed, and whose configuration there does not fit. The message says what is expected,
 * for the person who sets up the provider.
 */
function misconfigured(issuer: Issuer, expected: string, reason: string, scheme: Scheme): Error {
  if (issuer.foreign === undefined) return refused(reason, scheme)
  return refused(reason, scheme, `The identity provider signed this token, but ${expected}.`)
}

/** A token issued before its holder's password was reset, or the membership was suspended or removed. */
export const outdated = (scheme: Scheme): Error => refused('the token was issued before access was withdrawn', scheme)

/** A token whose family has ended: its person signed out, or a used refresh token was used again. */
export const ofEndedFamily = (scheme: Scheme): Error => refused('the sign-in of the token has ended', scheme)

/** Verifies an Authorization header of the form `Bearer <token>`. Throws ApiError 'unauthorized'. */
export const verifyBearer = async (authorizationHeader: string): Promise<VerifiedToken> =>
  (await readBearer(authorizationHeader)).token

/** Like verifyBearer, with all claims of the token. `resources` is passed to verifyAccessToken. */
export async function readBearer(authorizationHeader: string, resources?: readonly string[]): Promise<AccessToken> {
  const match = /^bearer ([^\s]+)$/i.exec(authorizationHeader)
  if (match?.[1] === undefined) throw refused('the header is not of the form "Bearer <token>"')
  const verified = await verifyAccessToken(match[1], 'Bearer', resources)
  // A token that is bound to a key proves nothing without the key (RFC 9449, section 7.2).
  if (verified.claims.cnf !== undefined)
    throw refused('the token is bound to a key, but was sent without a proof of the key')
  return verified
}

/**
 * Verifies an access token of a trusted issuer: format, issuer, key, signature, type, audience, times, client, tenant.
 * Also returns a token that is bound to a key: the caller has to check the proof. `resources`: the addresses
 * whose tokens the request accepts, if it is one that the product's own realms issue tokens for. Throws ApiError 'unauthorized', and 'unavailable' if the keys of
 * an external issuer could not be loaded.
 */
export async function verifyAccessToken(
  compact: string,
  scheme: Scheme = 'Bearer',
  resources: readonly string[] = [],
): Promise<AccessToken> {
  const unverified = parseCompactJws(compact)
  if (unverified === undefined) throw refused('the token is not a compact JWS in its canonical spelling', scheme)
  const issuer = findIssuer(unverified.payload.iss)
  if (issuer === undefined) throw refused('the issuer is not trusted', scheme)
  const { kid } = unverified.header
  const known = typeof kid === 'string' ? await issuer.findKey(kid) : undefined
  if (known === undefined) throw refused('the issuer or its key is unknown', scheme)
  return await verifyWith(known, issuer, { compact, unverified }, scheme, resources)
}

/** The same for a token whose issuer and key are known. Throws CredentialRefused. */
export async function verifyWith(
  known: TokenKey,
  issuer: Issuer,
  { compact, unverified }: { compact: string; unverified: UnverifiedJws },
  scheme: Scheme = 'Bearer',
  resources: readonly string[] = [],
): Promise<AccessToken> {
  const refuse = (reason: string) => refused(reason, scheme)
  const audiences = [issuer.audience, ...(issuer.foreign === undefined ? resources : [])]
  const claims = await claimsOf(compact, unverified, issuer.url, audiences, known).catch((error: unknown) => {
    if (!(error instanceof errors.JOSEError)) throw error
    const reason = `${error.code}: ${error.message}`
    const isForOthers = error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud'
    const expected = `its audience (aud) must contain "${issuer.audience}"`
    throw isForOthers ? misconfigured(issuer, expected, reason, scheme) : refuse(reason)
  })
  const { typ } = unverified.header
  const type = wrongType(typ, issuer)
  if (type !== undefined) {
    const expected = `the type in its header (typ) must be ${issuer.tokenTypes.join(' or ')}`
    throw misconfigured(issuer, expected, type, scheme)
  }
  const times = wrongTimes(claims)
  if (times !== undefined) throw refuse(times)
  const foreign = refuseForeign(claims, typ, issuer)
  if (foreign !== undefined) throw misconfigured(issuer, foreign.expected, foreign.reason, scheme)
  const token = tokenOf(claims, issuer, known, {
    refuse,
    expect: (expected, reason) => misconfigured(issuer, expected, reason, scheme),
  })
  const audience = [claims.aud].flat()
  const resource = audience.includes(issuer.audience) ? undefined : resources.find((one) => audience.includes(one))
  return { token: resource === undefined ? token : { ...token, resource }, claims }
}

/** The token's claims, when the library has checked the signature and then, at every call, the claims. */
async function claimsOf(
  compact: string,
  unverified: UnverifiedJws,
  issuer: string,
  audience: string[],
  key: TokenKey,
): Promise<JWTPayload> {
  await requireSignature(compact, unverified, key)
  // The library checks claims only of a whole token: of this one with its signature, or of one that has none.
  const [, payload] = compact.split('.')
  const options = { issuer, audience, clockTolerance, requiredClaims: ['sub', 'exp', 'iat'] }
  return UnsecuredJWT.decode(`${unsecuredHeader}.${payload}.`, options).payload
}

const unsecuredHeader = Buffer.from('{"alg":"none"}').toString('base64url')

/**
 * Without this check, an id_token, a logout token or a proof could pass for an access token (RFC 9068, section 2.1).
 */
function wrongType(typ: unknown, { tokenTypes }: Issuer): string | undefined {
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : ''
  return tokenTypes.includes(type) ? undefined : 'the token does not have a type that the issuer uses for access tokens'
}

function wrongTimes({ exp = 0, iat = 0 }: JWTPayload): string | undefined {
  const now = Date.now() / 1000
  if (exp <= now) return 'the token has expired'
  if (iat > now + clockTolerance) return 'the token was issued in the future'
  if (exp - iat > longestLife) return 'the token lives for more than a day'
  return undefined
}

function tokenOf(
  claims: JWTPayload,
  issuer: Issuer,
  { tenant }: TokenKey,
  { refuse, expect }: { refuse(reason: string): Error; expect(expected: string, reason: string): Error },
): VerifiedToken {
  const sub = claims[issuer.foreign?.subjectClaim ?? 'sub']
  const { exp, iat, azp, client_id: clientId, preferred_username: username } = claims
  if (typeof sub !== 'string' || !subjectPattern.test(sub) || exp === undefined || iat === undefined)
    throw refuse('the token does not have a usable subject or an expiry')
  const claim = 'claim' in tenant ? tenant.claim : 'tenant'
  const named = claims[claim]
  if (named !== undefined && (typeof named !== 'string' || named === ''))
    throw expect(
      `its claim ${claim} must be the external id of a tenant, as a text`,
      'the tenant claim is not a string',
    )
  const issuerTenant = 'claim' in tenant ? named : tenant.externalId
  // An issuer with one tenant is trusted only for that tenant.
  if (named !== undefined && named !== issuerTenant)
    throw expect(
      `its claim ${claim} must be absent, or the external id of the tenant that the provider is trusted for`,
      'the token names a tenant that is not the issuer’s',
    )
  const party = azp ?? clientId
  return {
    issuer: issuer.recordedAs,
    subject: sub,
    // The product's own realms always name the tenant; an external issuer need not know the tenant's external id.
    tenantExternalId: issuer.foreign === undefined ? named : issuerTenant,
    roles: issuer.foreign === undefined ? rolesOf(claims.realm_access) : [],
    claims: issuer.foreign === undefined ? undefined : claims,
    ...(typeof username === 'string' ? { username } : {}),
    issuedAt: issuer.foreign === undefined ? issuedAtOf(claims, iat) : iat * 1000,
    expiresAt: exp * 1000,
    authorizedParty: typeof party === 'string' ? party : undefined,
    issuerTenant,
    family: issuer.foreign === undefined ? familyIn(claims) : undefined,
    newMember: issuer.foreign && newMemberOf(claims, issuer.foreign),
  }
}

/**
 * The product's own realms state it in milliseconds: `iat` alone could not distinguish a token from a reset in the same
 * second.
 */
const issuedAtOf = ({ [issuedAtClaim]: exact }: JWTPayload, iat: number): number =>
  typeof exact === 'number' ? exact : iat * 1000

/** Absent in tokens of service accounts, which are issued without a refresh token. */
const familyIn = ({ [familyClaim]: family }: JWTPayload): string | undefined =>
  typeof family === 'string' ? family : undefined

/** Keycloak's shape: `realm_access: { roles: [...] }`. Anything else grants nothing. */
function rolesOf(access: unknown): string[] {
  if (typeof access !== 'object' || access === null || !('roles' in access) || !Array.isArray(access.roles)) return []
  return access.roles.filter((role) => typeof role === 'string')
}
