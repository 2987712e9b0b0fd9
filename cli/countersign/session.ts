import { createHash } from 'node:crypto'
import type { JsonObject } from '#lib/json.ts'
import { tlsReason } from '#lib/text/tls-reason.ts'
import { objectIn } from './answer.ts'
import { Failed, usageError } from './failure.ts'
import { textOf, type Values } from './flags.ts'
import { type Profile, readStore, type Store, withStore } from './profiles.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where calls go, and how they authenticate. */
export type Session = {
  url: string
  /** What the credential is, for `whoami`. */
  source: string
  /** The headers of a call. `renew`: the server refused the last token, so another one is needed. */
  headers(renew?: boolean): Promise<Record<string, string>>
}

export const cliClientId = 'countersign-cli'
/** A token that ends sooner is renewed first, so that it does not expire during a call. */
const marginMs = 10_000

/** The chosen server: `--url`, COUNTERSIGN_URL, or that of the profile. Throws a usage error without one. */
export function urlOf(values: Values, environment: Environment): string {
  const given = textOf(values, 'url') ?? environment.COUNTERSIGN_URL ?? profileOf(values, environment)?.url
  if (given === undefined)
    throw usageError('Name the server: --url, COUNTERSIGN_URL, or countersign login --url <address>.')
  if (!URL.canParse(given) || !/^https?:/.test(given))
    throw usageError(`--url: ${JSON.stringify(given)}. Must be an address (http or https).`)
  return given.replace(/\/+$/, '')
}

export const profileNameOf = (values: Values, environment: Environment): string =>
  textOf(values, 'profile') ?? environment.COUNTERSIGN_PROFILE ?? 'default'

const profileOf = (values: Values, environment: Environment): Profile | undefined =>
  readStore(environment).profiles[profileNameOf(values, environment)]

/** The slug of the realm: `--tenant` or COUNTERSIGN_TENANT. Throws a usage error without one. */
export function tenantOf(values: Values, environment: Environment): string {
  const given = textOf(values, 'tenant') ?? environment.COUNTERSIGN_TENANT
  if (given === undefined)
    throw usageError('Name the organisation: --tenant or COUNTERSIGN_TENANT (its short name in the address).')
  return given
}

export const realmOf = (authUrl: string, tenant: string): string =>
  `${authUrl}/realms/${encodeURIComponent(tenant)}/protocol/openid-connect`
export const authUrlOf = (environment: Environment, url: string): string =>
  (environment.COUNTERSIGN_AUTH_URL ?? url).replace(/\/+$/, '')

/**
 * The credential of a call: an API key, a token or a service account from the environment, in this order, else the profile.
 * With `--profile`, the profile. Throws `signedOut` without any.
 */
export function openSession(values: Values, environment: Environment): Session {
  const url = urlOf(values, environment)
  const { COUNTERSIGN_API_KEY: key, COUNTERSIGN_TOKEN: token, COUNTERSIGN_CLIENT_ID: clientId } = environment
  if (textOf(values, 'profile') === undefined) {
    if (key) return { url, source: 'API key (COUNTERSIGN_API_KEY)', headers: async () => ({ 'x-svc-api-key': key }) }
    if (token) return { url, source: 'token (COUNTERSIGN_TOKEN)', headers: async () => bearer(token) }
    if (clientId) return ofServiceAccount(url, clientId, values, environment)
  }
  return ofProfile(url, values, environment)
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

function ofServiceAccount(url: string, clientId: string, values: Values, environment: Environment): Session {
  const secret = environment.COUNTERSIGN_CLIENT_SECRET
  if (!secret) throw usageError('COUNTERSIGN_CLIENT_ID needs COUNTERSIGN_CLIENT_SECRET.')
  const tenant = tenantOf(values, environment)
  const realm = realmOf(authUrlOf(environment, url), tenant)
  const key = createHash('sha256')
    .update(JSON.stringify([realm, clientId, secret]))
    .digest('hex')
  let last: Store['tokens'][string] | undefined
  return {
    url,
    source: `service account ${clientId} (COUNTERSIGN_CLIENT_ID)`,
    async headers(renew = false) {
      last ??= await unlessUnusable(async () => readStore(environment).tokens[key])
      if (!renew && last !== undefined && last.expiresAt - marginMs > Date.now()) return bearer(last.accessToken)
      const issued = await requestToken(realm, {
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: secret,
      })
      last = issued
      await unlessUnusable(() =>
        withStore(environment, async (store) => {
          store.tokens[key] = issued
        }),
      )
      return bearer(issued.accessToken)
    },
  }
}

/** A container may not have a folder of configuration. A service account works without one: it asks for a token in each process. */
export async function unlessUnusable<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (['EACCES', 'ENOENT', 'ENOTDIR', 'EPERM', 'EROFS'].includes(String(code))) return undefined
    throw error
  }
}

function ofProfile(url: string, values: Values, environment: Environment): Session {
  const name = profileNameOf(values, environment)
  const signIn = `Run countersign login --url ${url} --tenant <short name>.`
  const first = profileOf(values, environment)
  if (first === undefined) throw new Failed('signedOut', `Not signed in. ${signIn}`, { code: 'signed_out' })
  if (new URL(first.url).origin !== new URL(url).origin)
    throw new Failed('signedOut', `The profile ${name} is for ${first.url}. ${signIn}`, { code: 'signed_out' })
  const tenant = textOf(values, 'tenant') ?? environment.COUNTERSIGN_TENANT
  if (tenant !== undefined && tenant !== first.tenant)
    throw new Failed('signedOut', `The profile ${name} is signed in to ${first.tenant}, not ${tenant}. ${signIn}`, {
      code: 'signed_out',
    })
  let sent = first.accessToken
  return {
    url,
    source: `profile ${name}`,
    async headers(renew = false) {
      const now = Date.now()
      if (!renew && sent === first.accessToken && first.expiresAt - marginMs > now) return bearer(sent)
      return await withStore(environment, async (store) => {
        const profile = store.profiles[name]
        // Its tokens are for another server, organisation or person: this process must not send them.
        if (profile === undefined || profile.signIn !== first.signIn)
          throw new Failed('signedOut', `The profile ${name} has been signed out, or in again. ${signIn}`, {
            code: 'signed_out',
          })
        // Another process has renewed it in the meantime.
        if (profile.accessToken !== sent && profile.expiresAt - marginMs > now) {
          sent = profile.accessToken
          return bearer(sent)
        }
        if (profile.refreshToken === undefined)
          throw new Failed('signedOut', `The sign-in has ended. ${signIn}`, { code: 'signed_out' })
        const renewed = await requestToken(realmOf(profile.authUrl, profile.tenant), {
          grant_type: 'refresh_token',
          client_id: cliClientId,
          refresh_token: profile.refreshToken,
        })
        store.profiles[name] = { ...profile, ...renewed }
        sent = renewed.accessToken
        return bearer(sent)
      })
    },
  }
}

const tokenPatienceMs = 15_000

/** Throws `unreachable` if the provider does not answer, `refused` if the organisation is not one of its realms. */
export async function requireRealm(authUrl: string, tenant: string): Promise<void> {
  const signal = AbortSignal.timeout(tokenPatienceMs)
  const address = `${authUrl}/realms/${encodeURIComponent(tenant)}/.well-known/openid-configuration`
  const response = await send(address, { signal })
  const { status: httpStatus } = response
  if (!response.ok) await response.body?.cancel()
  if (httpStatus === 404)
    throw new Failed('refused', `${authUrl} does not have an organisation ${JSON.stringify(tenant)}.`, {
      code: 'not_found',
      httpStatus,
    })
  if (!response.ok)
    throw new Failed('unreachable', `${address} answered ${httpStatus}.`, { code: 'unreachable', httpStatus })
  // Anything else, such as the page of a guest network, would be opened as a sign-in.
  await objectIn(response)
}

export type Issued = { accessToken: string; expiresAt: number; refreshToken?: string }

/** Asks a realm for a token. Throws `signedOut` if it refuses, `unreachable` if it does not answer. */
export async function requestToken(realm: string, form: Record<string, string>): Promise<Issued> {
  const began = Date.now()
  // Shorter than a lock is kept, during which this is called.
  const signal = AbortSignal.timeout(tokenPatienceMs)
  const response = await send(`${realm}/token`, { method: 'POST', body: new URLSearchParams(form), signal })
  const answer = objectIn(response)
  const body: JsonObject = response.ok ? await answer : await answer.catch(() => ({}))
  if (!response.ok) {
    const why = String(body.error_description ?? body.error ?? response.status)
    const message = `The provider refused: ${why.replace(/\.$/, '')}.`
    throw new Failed(response.status >= 500 ? 'unreachable' : 'signedOut', message, {
      code: String(body.error ?? 'refused'),
      httpStatus: response.status,
    })
  }
  const { access_token: accessToken, expires_in: seconds, refresh_token: refreshToken } = body
  if (typeof accessToken !== 'string')
    throw new Failed('unreachable', `${realm} sent no token.`, { code: 'unreadable' })
  return {
    accessToken,
    expiresAt: began + Number(seconds ?? 0) * 1000,
    ...(typeof refreshToken === 'string' ? { refreshToken } : {}),
  }
}

/** `fetch` without redirects, which could lead credentials elsewhere. Throws `unreachable` without a response. */
export async function send(url: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<Response> {
  try {
    return await fetch(url, { redirect: 'error', ...init })
  } catch (error) {
    throw new Failed('unreachable', `${new URL(url).origin} can’t be reached: ${whyNotSent(error)}`, {
      code: 'unreachable',
    })
  }
}

function whyNotSent(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'it did not answer in time.'
  if (!(error.cause instanceof Error)) return String(error)
  const { cause } = error
  const tls = tlsReason(cause)
  if (tls !== undefined) return `${tls}.`
  return cause.message || ('code' in cause ? String(cause.code) : '')
}
