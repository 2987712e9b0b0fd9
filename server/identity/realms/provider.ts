import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { announceRegistration } from '#server/identity/clients/announce-registration.ts'
import { secretMatches } from '#server/identity/clients/clients.ts'
import { renderError } from '#server/identity/pages/error-page.ts'
import { contentSecurityPolicy, securityHeaders } from '#server/identity/pages/page.ts'
import { createGuard, type Guard } from '#server/identity/strangers/guard.ts'
import { watchClients } from '#server/identity/strangers/try-client.ts'
import { compareInTurn, limitByClient } from '#server/identity/tokens/token-rate.ts'
import { type Unavailable, unavailableFor } from '#server/identity/unavailable.ts'
import { cookieKeys, rotateRealmKeyIfNeeded, signingKeys } from '#server/kernel/keys/signing-keys.ts'
import { logRefusal } from '#server/kernel/refusals.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { configurationOf, paths } from './configuration.ts'
import { loadRealm, type Realm } from './realm.ts'

/** A realm that is ready to serve requests. */
export type OpenRealm = {
  realm: Realm
  provider: Provider
  guard: Guard
  serve(req: IncomingMessage, res: ServerResponse): Promise<void>
}

/** Changed keys and branding take effect after at most this long, in milliseconds. */
const maxAge = 5 * 60_000
const maxRealms = 256

// Owned by this module. Providers keep no state in memory: all of it is in the database.
const open = new Map<string, { openedAt: number; realm: Promise<OpenRealm | undefined> }>()

/** The realm of the tenant with this slug, opened on first use. */
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
  // Unknown slugs are unlimited in number, so they are not cached.
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
  // Tenants with an external identity provider do not have a realm here.
  if (keys.length === 0 || cookies.length === 0) return undefined
  const guard = createGuard(realm, cookies)
  const provider = new Provider(realm.url, configurationOf(realm, keys, cookies, guard))
  // The handler sets the forwarded headers from AUTH_URL, so addresses never come from the caller's Host.
  provider.proxy = true
  provider.Client.prototype.compareClientSecret = async function (secret) {
    const matches = await compareInTurn(guard, this.clientId, () => secretMatches(tenantId, this.clientId, secret))
    if (matches) await limitByClient(tenantId, this.clientId)
    return matches
  }
  watchClients(provider, guard)
  guardAnswers(provider, realm)
  logEvents(provider, slug)
  return { realm, provider, guard, serve: provider.callback() }
}

/** Requests that the library failed because of an outage, or because too many callers wait. It answers 500 to both. */
const unavailable = new WeakMap<IncomingMessage, Unavailable>()

function guardAnswers(provider: Provider, realm: Realm): void {
  const consoleOrigin = new URL(runtime().config.baseUrl).origin
  provider.use(async (ctx, next) => {
    ctx.set(securityHeaders)
    ctx.set('content-security-policy', contentSecurityPolicy({ formOrigins: [consoleOrigin] }))
    await next()
    if (refusesByForm(ctx)) {
      const { error, error_description: text } = unsupported
      renderError(realm)(ctx as KoaContextWithOIDC, { error, error_description: text }, unsupported)
    }
    announceRegistration(ctx, realm)
    const busy = unavailable.get(ctx.req)
    if (busy !== undefined) {
      ctx.status = 503
      ctx.set(busy.headers)
      // For a browser, the library has rendered its page.
      if (ctx.response.is('html') === false) ctx.body = busy.body
    }
    allowReturn(ctx)
    // oidc-client-ts rejects an empty response with the content type text/plain.
    if (ctx.path === paths.revocation && ctx.status === 200 && ctx.body === '') ctx.remove('content-type')
    if (ctx.status === 404 && ctx.body === undefined) {
      ctx.body = { error: 'not_found', error_description: 'Page not found.' }
      ctx.status = 404
    }
  })
}

const unsupported = new errors.UnsupportedResponseMode()

/**
 * No client may use `form_post`. The library refuses it by that very mode, with a page and script of its own, and offers no way to
 * be without the mode.
 */
const refusesByForm = ({ path, body }: { path: string; body: unknown }): boolean =>
  path === paths.authorization && typeof body === 'string' && body.includes('<title>Submitting Callback</title>')

/** `oidc` is set once a route of the library has answered. */
type Answering = { oidc?: KoaContextWithOIDC['oidc']; response: KoaContextWithOIDC['response'] }

/** A form of the library during a sign-in ends, after redirects, at the client. */
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
  provider.on('server_error', (ctx, error) => {
    const busy = unavailableFor(error)
    if (busy === undefined) log.error({ err: error, realm }, 'the identity provider failed')
    else unavailable.set(ctx.req, busy)
  })
  provider.onerror = (error) => log.error({ err: error, realm }, 'the identity provider failed')
  provider.on('grant.error', (ctx, { error, error_detail: detail }) =>
    logRefusal(log, { realm, error, detail, client: ctx.oidc?.client?.clientId }, 'a token request was refused'),
  )
  provider.on('authorization.error', (_ctx, { error, error_description: detail }) =>
    logRefusal(log, { realm, error, detail }, 'an authorization request was refused'),
  )
}
