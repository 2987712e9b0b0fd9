import type { IncomingMessage, ServerResponse } from 'node:http'
import { type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { secretMatches } from '#server/identity/clients/clients.ts'
import { contentSecurityPolicy, securityHeaders } from '#server/identity/pages/page.ts'
import { limitByClient } from '#server/identity/tokens/token-rate.ts'
import { cookieKeys, rotateRealmKeyIfNeeded, signingKeys } from '#server/kernel/keys/signing-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { configurationOf, paths } from './configuration.ts'
import { loadRealm, type Realm } from './realm.ts'

/** A realm that serves requests. */
export type OpenRealm = {
  realm: Realm
  provider: Provider
  serve(req: IncomingMessage, res: ServerResponse): Promise<void>
}

/** Keys and branding that were changed are used after at most this long, in milliseconds. */
const maxAge = 5 * 60_000
const maxRealms = 256

// Owned by this module. Providers hold no state of their own: all of it is in the database.
const open = new Map<string, { openedAt: number; realm: Promise<OpenRealm | undefined> }>()

/** The realm of the tenant with this slug, made when it is first asked for. */
export async function openRealm(slug: string): Promise<OpenRealm | undefined> {
  const known = open.get(slug)
  if (known !== undefined && Date.now() - known.openedAt < maxAge) return await known.realm
  const made = { openedAt: Date.now(), realm: makeRealm(slug) }
  open.delete(slug)
  open.set(slug, made)
  const forget = () => {
    if (open.get(slug) === made) open.delete(slug)
  }
  const realm = await made.realm.catch((error: unknown) => {
    forget()
    throw error
  })
  // Names of no realm are endless: they are not remembered.
  if (realm === undefined) forget()
  for (const oldest of open.keys()) {
    if (open.size <= maxRealms) break
    open.delete(oldest)
  }
  return realm
}

async function makeRealm(slug: string): Promise<OpenRealm | undefined> {
  const realm = await loadRealm(slug)
  if (realm === undefined) return undefined
  const { tenantId } = realm
  const { database } = runtime()
  const keys = await database.inTenant(tenantId, async (tx) => {
    await rotateRealmKeyIfNeeded(tx, tenantId)
    return await signingKeys(tx, tenantId, 'realm')
  })
  const cookies = await database.inTenant(tenantId, (tx) => cookieKeys(tx, tenantId))
  // A tenant of a foreign identity provider has no realm here.
  if (keys.length === 0 || cookies.length === 0) return undefined
  const provider = new Provider(realm.url, configurationOf(realm, keys, cookies))
  // The handler overwrites the forwarded headers with AUTH_URL's, so addresses never come from the caller's Host.
  provider.proxy = true
  provider.Client.prototype.compareClientSecret = async function (secret) {
    const matches = await secretMatches(tenantId, this.clientId, secret)
    if (matches) await limitByClient(tenantId, this.clientId)
    return matches
  }
  guardAnswers(provider)
  logEvents(provider, slug)
  return { realm, provider, serve: provider.callback() }
}

function guardAnswers(provider: Provider): void {
  const consoleOrigin = new URL(runtime().config.baseUrl).origin
  provider.use(async (ctx, next) => {
    ctx.set(securityHeaders)
    ctx.set('content-security-policy', contentSecurityPolicy({ formOrigins: [consoleOrigin] }))
    await next()
    allowReturn(ctx)
    // oidc-client-ts refuses an empty answer that calls itself text/plain.
    if (ctx.path === paths.revocation && ctx.status === 200 && ctx.body === '') ctx.remove('content-type')
    if (ctx.status === 404 && ctx.body === undefined) {
      ctx.body = { error: 'not_found', error_description: 'There is nothing at this address.' }
      ctx.status = 404
    }
  })
}

/** `oidc` is there once a route of the library has answered. */
type Answering = { oidc?: KoaContextWithOIDC['oidc']; response: KoaContextWithOIDC['response'] }

/** A form of the library's in the middle of a sign-in leads back to the client in the end, by redirects. */
function allowReturn({ oidc, response }: Answering): void {
  const redirectUri = oidc?.entities.Interaction?.params.redirect_uri
  if (typeof redirectUri !== 'string') return
  const { origin } = new URL(redirectUri)
  const policy = response.get('content-security-policy')
  if (policy.split(/[ ;]+/).includes(origin)) return
  response.set('content-security-policy', policy.replace("form-action 'self'", `form-action 'self' ${origin}`))
}

function logEvents(provider: Provider, realm: string): void {
  const { log } = runtime()
  provider.on('server_error', (_ctx, error) => log.error({ err: error, realm }, 'the identity provider failed'))
  provider.onerror = (error) => log.error({ err: error, realm }, 'the identity provider failed')
  provider.on('grant.error', (ctx, { error, error_detail: detail }) =>
    log.info({ realm, error, detail, client: ctx.oidc?.client?.clientId }, 'a token request was refused'),
  )
  provider.on('authorization.error', (_ctx, { error, error_description: detail }) =>
    log.info({ realm, error, detail }, 'an authorization request was refused'),
  )
}
