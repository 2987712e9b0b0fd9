import { z } from 'zod'
import { TenantSettings } from '#lib/schemas/tenants.ts'
import { clockTolerance, longestLife, subjectPattern, verifyWith } from '#server/kernel/auth/bearer.ts'
import { CredentialRefused } from '#server/kernel/auth/challenge.ts'
import { requireSignature } from '#server/kernel/auth/checked-signatures.ts'
import { namesAt, rolesNamed } from '#server/kernel/auth/effective-roles.ts'
import { parseCompactJws, type UnverifiedJws } from '#server/kernel/auth/gate.ts'
import { asymmetricAlgorithms } from '#server/kernel/auth/issuers/algorithms.ts'
import { type Issuer, realmTerms, type TokenKey, trustedIssuer } from '#server/kernel/auth/issuers/issuer.ts'
import { discoverJwks, fetchJwks } from '#server/kernel/auth/issuers/jwks.ts'
import type { TrustedIssuer, TrustedIssuers } from '#server/kernel/auth/issuers/trusted.ts'
import type { Config } from '#server/kernel/config.ts'
import { fetchLimited } from '#server/kernel/net/fetch-limited.ts'
import { type Finding, failed, ok, reasonOf } from './findings.ts'
import type { DoctorTenants } from './tenants.ts'

/** A machine of a tenant at the provider, with which a token is requested. */
export type Machine = { slug: string; clientId: string; secret: string }

type Terms = Omit<Issuer, 'findKey'>
type Token = { compact: string; unverified: UnverifiedJws }
/** A line about the token: what fits, or what does not and what to do. */
type Fits = (holds: boolean, text: string, advice: string) => Finding

const Answer = z.object({ access_token: z.string() })

/** Requests a token and says line by line what fits, and whether the API accepts it. */
export async function checkToken(
  config: Config,
  machine: Machine,
  tenants: DoctorTenants,
  issuers: TrustedIssuers,
): Promise<Finding[]> {
  const realm = `${config.authUrl}/realms/${machine.slug}`
  const compact = await requestToken(realm, machine)
  if (typeof compact !== 'string') return [compact]
  const name = `the token of ${machine.clientId}`
  const fits: Fits = (holds, text, advice) =>
    holds ? ok('Provider', `${name}: ${text}`) : failed('Provider', `${name}: not ${text}`, advice)
  const unverified = parseCompactJws(compact)
  if (unverified === undefined)
    return [fits(false, 'a signed JWT', 'Let the provider issue access tokens as JWTs, signed with a key pair.')]
  const token = { compact, unverified }
  const tenant = tenants?.find(({ slug }) => slug === machine.slug)
  const trusted = issuers.find(({ issuer }) => issuer === realm)
  const terms = trusted === undefined ? realmTerms(realm) : trustedIssuer(trusted)
  const { findings, key } = await checkSignature(token, realm, trusted, fits)
  const found = [
    ...findings,
    ...checkClaims(token, terms, fits),
    checkRoles(token, realm, TenantSettings.parse(tenant?.settings ?? {}), fits),
  ]
  if (key === undefined || found.some(({ level }) => level !== 'ok')) return found
  // With the tenant unknown, whatever the token says of it counts as right.
  const externalId = tenant?.externalId ?? String(unverified.payload.tenant ?? '')
  const refusal = await whyRefused(token, terms, { ...key, tenant: { externalId } })
  const accepted = 'as the API accepts it'
  return [...found, fits(refusal === undefined, accepted, `The API refuses it: ${refusal}.`)]
}

async function requestToken(realm: string, { clientId, secret }: Machine): Promise<string | Finding> {
  let why: string
  try {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret })
    // A redirect is an error: the secret must not be sent elsewhere.
    const answer = await fetchLimited(
      `${realm}/protocol/openid-connect/token`,
      { method: 'POST', body },
      { wholeMs: 5000, maxBytes: 64 * 1024 },
    )
    if (answer.ok) return Answer.parse(await answer.json()).access_token
    why = `status ${answer.status}`
  } catch (error) {
    why = error instanceof z.ZodError ? 'its answer lacks access_token' : reasonOf(error)
  }
  return failed(
    'Provider',
    `${realm} gave ${clientId} no token (${why}).`,
    'Check the client, its secret, and that it may use client credentials.',
  )
}

/** Whether a key that the provider publishes has signed the token. */
async function checkSignature(
  token: Token,
  realm: string,
  trusted: TrustedIssuer | undefined,
  fits: Fits,
): Promise<{ findings: Finding[]; key?: Omit<TokenKey, 'tenant'> }> {
  const { kid, alg } = token.unverified.header
  const place = trusted?.jwksUri === undefined ? discoverJwks(realm) : Promise.resolve(trusted.jwksUri)
  const keys = await place.then(fetchJwks).catch(reasonOf)
  if (typeof keys === 'string')
    return { findings: [fits(false, 'checked, because the keys could not be read', `${keys}.`)] }
  const found = typeof kid === 'string' ? keys.get(kid) : undefined
  const isPublished = fits(
    found !== undefined,
    `signed by a key that the provider publishes (kid ${String(kid)})`,
    `It publishes ${[...keys.keys()].join(', ')}. Let it publish a new key before it signs with it, and see whether something between caches the old set.`,
  )
  if (found === undefined) return { findings: [isPublished] }
  const allowed: readonly string[] = trusted?.algorithms ?? asymmetricAlgorithms
  const algorithms = found.algorithms.filter((one) => allowed.includes(one))
  const key = { key: found.key, algorithms }
  const isRight = algorithms.some((one) => one === alg)
  const algorithm = fits(
    isRight,
    `alg is ${String(alg)}`,
    `The key is accepted for ${algorithms.join(', ') || 'nothing'}: choose that for the client, or correct alg of the key or algorithms in TRUSTED_ISSUERS.`,
  )
  if (!isRight) return { findings: [isPublished, algorithm] }
  const isSigned = await requireSignature(token.compact, token.unverified, key).then(
    () => true,
    () => false,
  )
  const verifies = fits(
    isSigned,
    'signed with the private key of that kid',
    'Another key has signed it under this kid: see whether all nodes of the provider have the same keys.',
  )
  return isSigned
    ? { findings: [isPublished, algorithm, verifies], key }
    : { findings: [isPublished, algorithm, verifies] }
}

function checkClaims({ unverified: { header, payload } }: Token, terms: Terms, fits: Fits): Finding[] {
  const { typ } = header
  const { iss, aud, exp, iat } = payload
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : ''
  const claim = terms.foreign?.subjectClaim ?? 'sub'
  const subject = payload[claim]
  return [
    fits(iss === terms.url, `iss is ${terms.url}`, `It is ${String(iss)}: set the public address of the provider.`),
    fits(
      [aud].flat().includes(terms.audience),
      `aud contains ${terms.audience}`,
      'Add an audience mapper to the client.',
    ),
    fits(
      terms.tokenTypes.includes(type),
      `typ is ${String(typ ?? 'missing')}`,
      `Access tokens must have the type ${terms.tokenTypes.join(' or ')}.`,
    ),
    ...checkTimes(exp, iat, fits),
    fits(
      typeof subject === 'string' && subjectPattern.test(subject),
      `one with a usable subject (${claim})`,
      `The claim ${claim} must be a text of 1 to 255 characters that never changes: add a mapper for it.`,
    ),
  ]
}

function checkTimes(exp: unknown, iat: unknown, fits: Fits): Finding[] {
  if (typeof exp !== 'number' || typeof iat !== 'number')
    return [fits(false, 'issued and expiring at times that it states', 'The claims iat and exp must be numbers.')]
  const ahead = Math.round(iat - Date.now() / 1000)
  const left = Math.round(exp - Date.now() / 1000)
  const life = exp - iat
  return [
    fits(
      ahead <= clockTolerance,
      'issued in the past (iat)',
      `It was issued ${ahead} seconds in the future: set the clocks of the provider and of this machine (NTP).`,
    ),
    fits(left > 0, 'still valid', `It expired ${-left} seconds ago: set the clocks, or let access tokens live longer.`),
    fits(
      life <= longestLife,
      `valid for at most a day (${life} seconds)`,
      'Let access tokens live for at most a day, better for minutes.',
    ),
  ]
}

function checkRoles({ unverified }: Token, realm: string, settings: TenantSettings, fits: Fits): Finding {
  const { roleClaim } = settings
  const claims = unverified.payload
  const named = namesAt(claims, roleClaim)
  const known = rolesNamed({ issuer: realm, claims }, settings, 'service_account')
  return fits(
    known.length > 0,
    `roles are ${known.join(', ') || 'known'}`,
    `Give the service account a role in the claim ${roleClaim}, by its name or a name in the role mapping of the tenant. It names ${named.join(', ') || 'nothing'}.`,
  )
}

/** Why the API would refuse the token, by the same rules. */
async function whyRefused(token: Token, terms: Terms, key: TokenKey): Promise<string | undefined> {
  try {
    await verifyWith(key, { ...terms, findKey: async () => key }, token)
    return undefined
  } catch (error) {
    if (error instanceof CredentialRefused) return error.cause instanceof Error ? error.cause.message : error.message
    throw error
  }
}
