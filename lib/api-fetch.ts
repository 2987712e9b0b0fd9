import type { ProvenRequest } from './dpop.ts'
import { failureFromBody, failureOf, RequestError } from './failure.ts'

/** A token that can be sent with requests. */
export type AccessToken = {
  text: string
  /** The headers `authorization` and, where the token is bound to a key, `dpop` for one request, once. */
  headersFor(request: ProvenRequest): Promise<Record<string, string>>
}

/** Where requests get their access token from; the session implements it. */
export type TokenSource = {
  /** A token that is valid now. Rejects with a RequestError when none is available. */
  accessToken(): Promise<AccessToken>
  /** Another token than `rejected`, which the API refused. Rejects with a RequestError when the session is over. */
  replaceToken(rejected: string): Promise<AccessToken>
  /** The new token was refused, too: the session is over. */
  refused(): void
}

/** Longest wait for an answer, in milliseconds: for the whole of an answer in JSON, and for the beginning of a file. */
const timeoutMs = 30_000

/**
 * `fetch` for the API, with the session's token and the tenant from the address rather than from the token. After a 401 it
 * repeats the request with a new token. Rejects with a RequestError without a response or when the tenant is denied; other
 * error responses are returned, as fetch does. An abort by the caller's signal rejects with the signal's reason.
 */
export function apiFetch(tenantExternalId: string | undefined, tokens: TokenSource): typeof fetch {
  return async (input, init = {}) => {
    const { method, url } = new Request(input instanceof Request ? input : new URL(input, pageAddress()), {
      method: init.method ?? (input instanceof Request ? input.method : 'GET'),
    })
    const send = async (token: AccessToken, nonce?: string) => {
      const headers = new Headers(init.headers)
      const presented = await token.headersFor({ method, url, nonce })
      for (const [name, value] of Object.entries(presented)) headers.set(name, value)
      if (tenantExternalId !== undefined) headers.set('x-svc-tenant-external-id', tenantExternalId)
      return await answerTo(input, { ...init, headers })
    }
    const token = await tokens.accessToken()
    const response = await send(token)
    const again = async () => {
      // Something was wrong with the proof (sent twice by the network, too late, without the server's nonce), not the token.
      if (proofWasRefused(response))
        return await send(await tokens.accessToken(), response.headers.get('dpop-nonce') ?? undefined)
      return await send(await tokens.replaceToken(token.text))
    }
    const final = response.status === 401 ? await again() : response
    if (final.status === 401) tokens.refused()
    if (final.status === 403) await refuseDeniedTenant(final)
    return final
  }
}

/** RFC 9449, sections 7.1 and 9. */
const proofWasRefused = ({ headers }: Response): boolean =>
  /error="(?:invalid_dpop_proof|use_dpop_nonce)"/.test(headers.get('www-authenticate') ?? '')

const pageAddress = (): string | undefined => (typeof document === 'undefined' ? undefined : document.baseURI)

async function answerTo(input: Parameters<typeof fetch>[0], init: RequestInit): Promise<Response> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(new DOMException('No answer in time', 'TimeoutError')), timeoutMs)
  const signal = init.signal ? AbortSignal.any([init.signal, timeout.signal]) : timeout.signal
  try {
    const response = await fetch(input, { ...init, signal, credentials: 'omit', cache: 'no-store' })
    if (!/[/+]json\b/.test(response.headers.get('content-type') ?? '')) clearTimeout(timer)
    return response
  } catch (error) {
    clearTimeout(timer)
    if (init.signal?.aborted) throw error
    const failure = timeout.signal.aborted
      ? failureOf('timeout', 'The server did not answer in time.')
      : failureOf('network', 'The server can’t be reached.')
    throw new RequestError(failure, error)
  }
}

/** That refusal has one body on both transports, which the procedures' client could not read. */
async function refuseDeniedTenant(response: Response): Promise<void> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  if (typeof body === 'object' && body !== null && 'error' in body && body.error === 'Tenant access denied')
    throw new RequestError(failureOf('tenant_access_denied', 'Tenant access denied', 403))
}

/** The JSON of a REST route, as the caller knows it. Rejects with a RequestError for anything but 2xx. */
export type RestFetch = <Answer>(path: `/v1/${string}`, init?: RestInit) => Promise<Answer>

export type RestInit = {
  method?: 'GET' | 'POST'
  /** Sent as JSON. */
  body?: unknown
  idempotencyKey?: string
  signal?: AbortSignal
}

export function restFetch(fetchApi: typeof fetch): RestFetch {
  return async (path, { method = 'GET', body, idempotencyKey, signal } = {}) => {
    const response = await fetchApi(path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
    const answer: unknown = await response.json().catch(() => undefined)
    if (!response.ok || answer === undefined) throw new RequestError(failureFromBody(answer, response))
    return answer as never
  }
}
