import { programOf } from '#server/command-line.ts'
import { fetchJson } from '#server/kernel/auth/issuers/fetch-json.ts'
import { discoverJwks, fetchJwks } from '#server/kernel/auth/issuers/jwks.ts'
import { loadTrustedIssuers } from '#server/kernel/auth/issuers/trusted.ts'
import type { Config } from '#server/kernel/config.ts'
import { unknownTenants } from '#server/tenants/provider/unknown-tenants.ts'
import { correctTenant, type Finding, failed, ok, reasonOf, warning } from './findings.ts'
import type { DoctorTenants } from './tenants.ts'
import { checkToken, type Machine } from './token.ts'

/** The metadata and the keys of each issuer and, with `machine`, one of its tokens. */
export async function* checkProvider(
  config: Config,
  tenants: DoctorTenants,
  machine?: Machine,
): AsyncGenerator<Finding> {
  if (config.identity === 'embedded') yield ok('Provider', 'this server signs people in')
  else yield* checkRealms(config, tenants, machine)
  const trusted = await loadTrustedIssuers(config).catch(() => [])
  for (const { issuer, jwksUri } of trusted) yield* await checkIssuer(issuer, false, jwksUri)
  for (const { text } of tenants === undefined ? [] : unknownTenants(tenants, { issuers: trusted }))
    yield warning('Provider', `TRUSTED_ISSUERS: ${text}`, correctTenant)
  if (machine !== undefined) yield* await checkToken(config, machine, tenants, trusted)
}

/** The realm of each tenant at AUTH_URL. Where none is known, at least whether the provider answers. */
async function* checkRealms({ authUrl }: Config, tenants: DoctorTenants, machine?: Machine): AsyncGenerator<Finding> {
  if (tenants === undefined)
    yield warning(
      'Provider',
      'the tenants could not be read, so their realms were not checked.',
      'Run this command again while the database can be read.',
    )
  else if (tenants.length === 0)
    yield warning(
      'Provider',
      'no tenant exists yet.',
      `${programOf('tenant')} create <slug>, then run this command again.`,
    )
  const slugs = tenants?.map(({ slug }) => slug) ?? (machine === undefined ? [] : [machine.slug])
  if (slugs.length === 0) yield await checkOrigin(authUrl)
  for (const slug of slugs) yield* await checkIssuer(`${authUrl}/realms/${slug}`, true)
}

/** Any answer will do: what is at the origin itself, providers decide for themselves. */
async function checkOrigin(authUrl: string): Promise<Finding> {
  try {
    await fetch(authUrl, { redirect: 'manual', signal: AbortSignal.timeout(5000) })
    return ok('Provider', `${authUrl} answers`)
  } catch (error) {
    const reason = reasonOf(error instanceof Error && error.cause !== undefined ? error.cause : error)
    return failed('Provider', `${authUrl} does not answer (${reason}).`, `From this machine, open ${authUrl}.`)
  }
}

async function checkIssuer(issuer: string, forConsole: boolean, jwksUri?: string): Promise<Finding[]> {
  try {
    const keys = await fetchJwks(jwksUri ?? (await discoverJwks(issuer)))
    if (keys.size === 0)
      return [
        failed(
          'Provider',
          `${issuer} publishes no key that verifies signatures.`,
          'Give it a key for RS256, ES256 or EdDSA.',
        ),
      ]
    const found: Finding[] = [ok('Provider', `${issuer}: ${keys.size} keys`)]
    return forConsole ? [...found, ...(await checkMetadata(issuer))] : found
  } catch (error) {
    return [failed('Provider', reasonOf(error), `From this machine, open ${issuer}/.well-known/openid-configuration.`)]
  }
}

/** What the console needs of a provider (docs/identity-providers.md). */
async function checkMetadata(issuer: string): Promise<Finding[]> {
  const metadata = (await fetchJson(`${issuer}/.well-known/openid-configuration`)) as Record<string, unknown>
  const lists = (name: string, value: string) => {
    const values = metadata[name]
    return Array.isArray(values) && values.includes(value)
  }
  const found: Finding[] = []
  if (!lists('code_challenge_methods_supported', 'S256'))
    found.push(
      failed('Provider', `${issuer} does not offer PKCE with S256.`, 'Turn it on; the console signs in with it.'),
    )
  if (typeof metadata.end_session_endpoint !== 'string')
    found.push(
      warning('Provider', `${issuer} publishes no address for signing out.`, 'People stay signed in at the provider.'),
    )
  if (!lists('dpop_signing_alg_values_supported', 'ES256'))
    found.push(
      warning(
        'Provider',
        `${issuer} does not bind tokens to keys (DPoP).`,
        'A token that is stolen from a browser works elsewhere until it expires.',
      ),
    )
  return found
}
