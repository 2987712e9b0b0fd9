import type { JWTPayload } from 'jose'
import type { ForeignTerms, Issuer } from '../issuers/issuer.ts'

/** The data in an external issuer's token about a subject who is not a member yet. */
export type NewMember = {
  kind: 'person' | 'service_account'
  username: string
  displayName: string
  /** Only an address that the issuer has verified, because members are found by it. */
  email: string | undefined
  /** The client that the person signed in with, or that the machine is. */
  clientId: string | undefined
}

const maxName = 128
const maxEmail = 254
/** Claims of an id_token or a logout token, which such an issuer also signs with the type JWT. */
const notOfAccessTokens = ['at_hash', 'c_hash', 's_hash', 'events']

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const clientOf = ({ azp, client_id: clientId }: JWTPayload): string | undefined => textOf(azp) ?? textOf(clientId)

/** Why a token is refused, for the log, and what it must be, for the person who sets up the provider. */
export type ForeignRefusal = { reason: string; expected: string }

/**
 * Why a token is refused although its issuer signed it, or undefined. Does not apply to the product's own
 * realms.
 */
export function refuseForeign(claims: JWTPayload, typ: unknown, { foreign }: Issuer): ForeignRefusal | undefined {
  if (foreign === undefined) return undefined
  // Otherwise another claim than the one that the provider wrote would say who the client is.
  for (const name of ['azp', 'client_id'])
    if (claims[name] !== undefined && typeof claims[name] !== 'string')
      return {
        reason: `the claim ${name} is not text`,
        expected: `its claim ${name} must be absent, or one client as a text`,
      }
  const client = clientOf(claims)
  if (foreign.clientIds !== undefined && (client === undefined || !foreign.clientIds.includes(client)))
    return {
      reason: 'the token was issued to a client that is not trusted',
      expected:
        'the client that it was issued to (azp, otherwise client_id) must be one of the clientIds in TRUSTED_ISSUERS',
    }
  if (typeof typ === 'string' && /^(application\/)?jwt$/i.test(typ)) return refuseKind(claims)
  return undefined
}

/** Keycloak gives all its tokens the header type JWT and states their kind in the claim `typ`: Bearer, ID, Refresh … */
function refuseKind(claims: JWTPayload): ForeignRefusal | undefined {
  if (claims.typ !== undefined) return claims.typ === 'Bearer' || claims.typ === 'DPoP' ? undefined : noAccessToken
  return notOfAccessTokens.some((name) => claims[name] !== undefined) ? noAccessToken : undefined
}

const noAccessToken: ForeignRefusal = {
  reason: 'the token is not an access token',
  expected: 'it must be an access token, not an id_token, a refresh token or a logout token',
}

export function newMemberOf(claims: JWTPayload, terms: ForeignTerms): NewMember {
  const clientId = visibleName(clientOf(claims))
  const kind = isMachine(claims, terms) ? 'service_account' : 'person'
  const email = claims.email_verified === true ? visibleEmail(claims.email) : undefined
  const subject = visibleName(claims[terms.subjectClaim]) ?? 'unnamed'
  const username = (kind === 'person' ? (visibleName(claims.preferred_username) ?? email) : clientId) ?? subject
  return {
    kind,
    username,
    displayName: (kind === 'person' ? visibleName(claims.name) : undefined) ?? username,
    email: kind === 'person' ? email : undefined,
    clientId,
  }
}

/**
 * A token without claims about a person counts as a machine's: machines have fewer rights, so this is the safe choice.
 */
function isMachine(claims: JWTPayload, { serviceClientIds }: ForeignTerms): boolean {
  const client = clientOf(claims)
  if (client !== undefined && (serviceClientIds.includes(client) || claims.sub === client)) return true
  const username = textOf(claims.preferred_username)
  if (username?.startsWith('service-account-') === true) return true
  return username === undefined && textOf(claims.email) === undefined && textOf(claims.name) === undefined
}

/** A text from a provider as one line of at most 128 characters, without invisible ones. */
export function visibleName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const visible = value
    .normalize('NFC')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
  return visible === '' ? undefined : [...visible].slice(0, maxName).join('')
}

/** A mail address from a provider, in lower case. */
export function visibleEmail(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > maxEmail) return undefined
  return /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(value) ? value.toLowerCase() : undefined
}
