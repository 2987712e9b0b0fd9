import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { CatalogOperation } from '#lib/schemas/catalog.ts'
import { jsonIn, notOfCountersign, requireDeclared } from './answer.ts'
import { Failed } from './failure.ts'
import { retryAfterSeconds } from './retry.ts'
import { type Session, send } from './session.ts'

/** What a call sends in addition to its input. */
export type Extra = {
  headers?: Record<string, string>
  /** A body other than JSON of fields, with its media type. `make` is called again for a repeated call. */
  document?: { type: string; make(): BodyInit }
}

/** A longer address is refused by some proxies: the input of a query is then posted. */
const longestInput = 4000

type Prepared = { path: string; init: RequestInit & { duplex?: 'half' } }

function prepare(operation: CatalogOperation, input: JsonObject, { headers = {}, document }: Extra): Prepared {
  const { transport, kind, method, path, places } = operation
  const post = (to: string, body: JsonValue) => ({
    path: to,
    init: { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) },
  })
  if (transport === 'procedure') {
    if (method === 'POST') return post(path, { json: input })
    const text = encodeURIComponent(JSON.stringify({ json: input }))
    if (kind === 'query' && text.length > longestInput) return post(path, { json: input })
    return { path: Object.keys(input).length === 0 ? path : `${path}?input=${text}`, init: { headers } }
  }
  const at = (place: string) => Object.entries(input).filter(([name]) => places[name] === place)
  const named = at('path').reduce((found, [name, value]) => {
    const encoded = encodeURIComponent(String(value))
    return found.replace(`{${name}}`, name === 'path' ? encoded.replaceAll('%2F', '/') : encoded)
  }, path)
  const query = new URLSearchParams(at('query').map(([name, value]): [string, string] => [name, String(value)]))
  const to = query.size === 0 ? named : `${named}?${query}`
  if (document !== undefined)
    return {
      path: to,
      init: { method, headers: { 'content-type': document.type, ...headers }, body: document.make(), duplex: 'half' },
    }
  return Object.keys(operation.body).length === 0
    ? { path: to, init: { method, headers } }
    : post(to, Object.fromEntries(at('body')))
}

/**
 * Sends a call, and repeats it with a new token after 401. Throws Failed for every status from 400 on, and for an answer that is not
 * of the operation.
 */
export async function callServer(
  session: Session,
  operation: CatalogOperation,
  input: JsonObject,
  extra: Extra = {},
): Promise<Response> {
  const attempt = async (renew: boolean) => {
    const credential = await session.headers(renew)
    const { path, init } = prepare(operation, input, { ...extra, headers: { ...extra.headers, ...credential } })
    return await send(`${session.url}${path}`, init)
  }
  const first = await attempt(false)
  const response = first.status === 401 ? await renewed(first, () => attempt(true)) : first
  if (!response.ok) throw await failureOf(response)
  await requireDeclared(operation, response)
  return response
}

/** A credential that can't be renewed keeps its 401. */
async function renewed(first: Response, again: () => Promise<Response>): Promise<Response> {
  await first.body?.cancel()
  return await again()
}

/** The data of a JSON response, without the envelope of procedures. */
export async function dataOf({ transport }: CatalogOperation, response: Response): Promise<JsonValue> {
  const body = await jsonIn(response)
  if (transport === 'route') return body
  const data = [['result'], ['data'], ['json']]
    .flat()
    .reduce<JsonValue | undefined>((found, name) => (isJsonObject(found) ? found[name] : undefined), body)
  if (data === undefined) throw notOfCountersign()
  return data
}

/** Calls an operation whose response is JSON. */
export const ask = async (
  session: Session,
  operation: CatalogOperation,
  input: JsonObject,
  extra?: Extra,
): Promise<JsonValue> => await dataOf(operation, await callServer(session, operation, input, extra))

async function failureOf(response: Response): Promise<Failed> {
  const body: JsonValue = await response.json().catch(() => null)
  const { status } = response
  const asked = retryAfterSeconds(response.headers.get('retry-after'))
  const later = asked === undefined ? {} : { retryAfterSeconds: asked }
  const exit = status === 401 ? 'signedOut' : status >= 500 ? 'unreachable' : 'refused'
  const inner = isJsonObject(body) && isJsonObject(body.error) ? body.error.json : undefined
  const data =
    isJsonObject(inner) && isJsonObject(inner.data)
      ? { ...inner.data, message: inner.message, code: inner.data.reason }
      : body
  if (!isJsonObject(data))
    return new Failed(exit, `The server answered ${status}.`, { code: 'unreadable', httpStatus: status, ...later })
  const { message, error, code, reason, requestId, issues, retryable } = data
  const said =
    typeof message === 'string' ? message : typeof error === 'string' ? error : `The server answered ${status}.`
  return new Failed(
    exit,
    status === 401 ? `${said} Sign in again with countersign login, or renew the credential.` : said,
    {
      // Refusals of telemetry have it as `reason`.
      code: code ?? reason ?? null,
      httpStatus: status,
      requestId: requestId ?? response.headers.get('x-request-id'),
      ...(issues === undefined ? {} : { issues }),
      ...(retryable === undefined ? {} : { retryable }),
      ...later,
    },
  )
}
