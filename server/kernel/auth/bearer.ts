import { errors, type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose'
import { CredentialRefused } from './challenge.ts'
import { type NewMember, newMemberOf, refuseForeign } from './foreign-token.ts'
import { parseCompactJws } from './gate.ts'
import { findIssuer, type Issuer, type TokenKey } from './issuers/issuer.ts'

/** What a verified access token says. Whether the subject may do anything is the membership's affair. */
export type VerifiedToken = {
  /** As members record it: relative for our own realms (issuerOf()), absolute for foreign issuers. */
  issuer: string
  subject: string
  tenantExternalId: string | undefined
  roles: string[]
  username?: string
  /** Milliseconds since the epoch; to the second where the issuer says no more. */
  issuedAt: number
  /** Milliseconds since the epoch. */
  expiresAt: number
  /** The client that the token was issued to. */
  authorizedParty: string | undefined
  /** The tenant that the issuer speaks for, whether or not the token names it. */
  issuerTenant: string | undefined
  /** What a first sign-in makes the membership from; only of issuers trusted by configuration. */
  newMember?: NewMember
}

export type AccessToken = { token: VerifiedToken; claims: JWTPayload }

/** Seconds by which another machine's clock may be ahead of ours: for `nbf` and `iat` only, an expired token is expired. */
const clockTolerance = 5
/** Seconds; an access token that lives longer than a day is none. */
const longestLife = 86_400
/** OpenID Connect Core, section 2, lets no subject be longer. */
const subjectPattern = /^[^\p{Cc}]{1,255}$/u

/** Milliseconds since the epoch. */
export const issuedAtClaim = 'issued_at_ms'

type Scheme = 'Bearer' | 'DPoP'

/** Every refusal reads the same to the caller; the cause is for the log and holds no part of the token. */
const refused = (reason: string, scheme: Scheme = 'Bearer') =>
  new CredentialRefused(
    { scheme, error: 'invalid_token' },
    `The ${scheme === 'Bearer' ? 'bearer' : 'DPoP'} token is missing, expired or invalid.`,
    reason,
  )

/** A token from before its holder's password was reset, or the membership suspended or removed. */
export const outdated = (scheme: Scheme): Error => refused('the token was issued before access was taken away', scheme)

/** Verifies an Authorization header of the form `Bearer <token>`. Throws ApiError 'unauthorized'. */
export const verifyBearer = async (authorizationHeader: string): Promise<VerifiedToken> =>
  (await readBearer(authorizationHeader)).token

/** The same, with all of the token's claims. */
export async function readBearer(authorizationHeader: string): Promise<AccessToken> {
  const match = /^bearer ([^\s]+)$/i.exec(authorizationHeader)
  if (match?.[1] === undefined) throw refused('the header is not of the form "Bearer <token>"')
  const verified = await verifyAccessToken(match[1])
  // A token that is bound to a key proves nothing without the key (RFC 9449, section 7.2).
  if (verified.claims.cnf !== undefined)
    throw refused('the token is bound to a key, and no proof of the key was asked for')
  return verified
}

/**
 * Verifies an access token of a trusted issuer: gate, issuer, key, signature, type, audience, times, client, tenant. A
 * token that is bound to a key comes back too: it is for the caller to ask for the proof. Throws ApiError 'unauthorized',
 * and 'unavailable' when a foreign issuer's keys can't be had.
 */
export async function verifyAccessToken(compact: string, scheme: Scheme = 'Bearer'): Promise<AccessToken> {
  const refuse = (reason: string) => refused(reason, scheme)
  const unverified = parseCompactJws(compact)
  if (unverified === undefined) throw refuse('the token is not a compact JWS in its canonical spelling')
  const issuer = findIssuer(unverified.payload.iss)
  if (issuer === undefined) throw refuse('the issuer is not trusted')
  const { kid } = unverified.header
  const known = typeof kid === 'string' ? await issuer.findKey(kid) : undefined
  if (known === undefined) throw refuse('the issuer or its key is unknown')
  const { payload: claims, protectedHeader } = await verifySignature(compact, issuer, known).catch((error: unknown) => {
    if (error instanceof errors.JOSEError) throw refuse(`${error.code}: ${error.message}`)
    throw error
  })
  const wrong =
    wrongType(protectedHeader.typ, issuer) ?? wrongTimes(claims) ?? refuseForeign(claims, protectedHeader.typ, issuer)
  if (wrong !== undefined) throw refuse(wrong)
  return { token: tokenOf(claims, issuer, known, refuse), claims }
}

const verifySignature = (compact: string, issuer: Issuer, { key, algorithms }: TokenKey): Promise<JWTVerifyResult> =>
  jwtVerify(compact, key, {
    algorithms: [...algorithms],
    issuer: issuer.url,
    audience: issuer.audience,
    clockTolerance,
    requiredClaims: ['sub', 'exp', 'iat'],
  })

/** Without it an id_token, a logout token or a proof could pass for an access token (RFC 9068, section 2.1). */
function wrongType(typ: unknown, { tokenTypes }: Issuer): string | undefined {
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : ''
  return tokenTypes.includes(type) ? undefined : 'the token is not of a type that the issuer gives access tokens'
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
  refuse: (reason: string) => Error,
): VerifiedToken {
  const { sub, exp, iat, azp, client_id: clientId, preferred_username: username } = claims
  if (typeof sub !== 'string' || !subjectPattern.test(sub) || exp === undefined || iat === undefined)
    throw refuse('the token has no usable subject or no end')
  const named = claims['claim' in tenant ? tenant.claim : 'tenant']
  if (named !== undefined && (typeof named !== 'string' || named === ''))
    throw refuse('the tenant claim is not a string')
  const issuerTenant = 'claim' in tenant ? named : tenant.externalId
  // An issuer with one tenant speaks for that one only.
  if (named !== undefined && named !== issuerTenant) throw refuse('the token names a tenant that is not the issuer’s')
  const party = azp ?? clientId
  const roles = rolesOf(claims.realm_access)
  return {
    issuer: issuer.recordedAs,
    subject: sub,
    // Our own realms always name it; a foreign one need not know what it is called here.
    tenantExternalId: issuer.foreign === undefined ? named : issuerTenant,
    roles,
    ...(typeof username === 'string' ? { username } : {}),
    issuedAt: issuer.foreign === undefined ? issuedAtOf(claims, iat) : iat * 1000,
    expiresAt: exp * 1000,
    authorizedParty: typeof party === 'string' ? party : undefined,
    issuerTenant,
    newMember: issuer.foreign && newMemberOf(claims, roles, issuer.foreign),
  }
}

/** Our own realms say it to the millisecond: `iat` alone could not tell a token from the reset of the same second. */
const issuedAtOf = ({ [issuedAtClaim]: exact }: JWTPayload, iat: number): number =>
  typeof exact === 'number' ? exact : iat * 1000

/** Keycloak's shape: `realm_access: { roles: [...] }`. Anything else grants nothing. */
function rolesOf(access: unknown): string[] {
  if (typeof access !== 'object' || access === null || !('roles' in access) || !Array.isArray(access.roles)) return []
  return access.roles.filter((role) => typeof role === 'string')
}
