import { z } from 'zod'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'

export type Answered = { status: number; type: string; text: string }

/** Where a response differs from what an OpenAPI document declares for the operation, as one line; undefined if it does not. */
export function undeclared(document: JsonObject, path: string, method: string, answered: Answered): string | undefined {
  const responses = at(document, ['paths', path, method.toLowerCase(), 'responses'])
  if (!isJsonObject(responses)) return `${method} ${path} is not in the document`
  const { status, type, text } = answered
  const own = responses[String(status)]
  // Success must be declared with its status; an unexpected error has the form of all errors.
  if (own === undefined && status < 400) return `${status} is not declared`
  const response = resolved(document, own ?? responses.default)
  const content = at(response, ['content'])
  const media = type.split(';', 1)[0] ?? ''
  const declared = at(content, [media]) ?? at(content, ['*/*'])
  if (!isJsonObject(declared)) return `${status} has the undeclared media type ${media}`
  if (declared.schema === undefined || media !== 'application/json') return undefined
  const schema = inlined(document, declared.schema)
  const parsed = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(JSON.parse(text))
  return parsed.success ? undefined : `${status} ${text.slice(0, 300)}: ${z.prettifyError(parsed.error)}`
}

const at = (value: JsonValue | undefined, names: readonly string[]): JsonValue | undefined =>
  names.reduce<JsonValue | undefined>((found, name) => (isJsonObject(found) ? found[name] : undefined), value)

/** The object that a reference within the document names. Throws if there is none. */
export function resolved(document: JsonObject, value: JsonValue | undefined): JsonValue {
  const reference = isJsonObject(value) ? value.$ref : undefined
  if (typeof reference !== 'string') return value ?? null
  const found = at(document, reference.slice('#/'.length).split('/'))
  if (found === undefined) throw new Error(`${reference} is not in the document.`)
  return resolved(document, found)
}

function inlined(document: JsonObject, value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((one) => inlined(document, one))
  const found = resolved(document, value)
  if (!isJsonObject(found)) return found
  return Object.fromEntries(Object.entries(found).map(([name, one]) => [name, inlined(document, one)]))
}
