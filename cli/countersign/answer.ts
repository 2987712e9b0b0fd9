import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { CatalogOperation } from '#lib/schemas/catalog.ts'
import { Failed } from './failure.ts'

/** An answer of something else, such as a proxy or the page of a guest network, which may have the status of a success. */
export const notOfCountersign = (what?: string): Failed =>
  new Failed('unreachable', `The response is not one of Countersign${what === undefined ? '' : `: ${what}`}.`, {
    code: 'unreadable',
  })

const mediaTypeOf = ({ headers }: Response): string | undefined =>
  headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() || undefined

export const isPage = (response: Response): boolean => mediaTypeOf(response) === 'text/html'

export const isJson = (response: Response): boolean => mediaTypeOf(response)?.includes('json') === true

/** Throws for a successful answer of another media type than those of the operation: it does not come from it. */
export async function requireDeclared({ produces, statuses }: CatalogOperation, response: Response): Promise<void> {
  const type = mediaTypeOf(response)
  if (type === undefined ? isWithoutBody(statuses, response) : produces.includes(type)) return
  await response.body?.cancel()
  const { origin } = new URL(response.url)
  throw notOfCountersign(`${origin} sent ${type ?? 'no media type'} where ${produces.join(' or ')} is due`)
}

/** A notification to a tool server is answered with its status alone. */
const isWithoutBody = (statuses: readonly number[], { status }: Response): boolean =>
  status === 202 && statuses.length > 1 && statuses.includes(status)

/** The JSON of an answer. Throws `unreachable` for anything else, and for a connection that breaks. */
export async function jsonIn(response: Response): Promise<JsonValue> {
  try {
    return await response.json()
  } catch (error) {
    const { origin } = new URL(response.url)
    if (error instanceof SyntaxError) throw notOfCountersign(`what ${origin} sent is not JSON`)
    throw new Failed('unreachable', `The connection to ${origin} broke during its response.`, { code: 'unreachable' })
  }
}

/** The same for an answer that must be an object. */
export async function objectIn(response: Response): Promise<JsonObject> {
  const value = await jsonIn(response)
  if (isJsonObject(value)) return value
  throw notOfCountersign()
}
