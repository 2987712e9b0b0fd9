import { createHash } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { exampleOf } from '#lib/schema-example.ts'
import type { Catalog, CatalogOperation } from '#lib/schemas/catalog.ts'
import { type Declared, noInput } from '#server/kernel/operation.ts'
import type { RouteContent, RouteWire } from '#server/kernel/route-wire.ts'
import { summaries } from './summaries.ts'

/** One operation at one address. An operation behind both a procedure and a route counts twice. */
export type CatalogEntry = {
  name: string
  method: 'GET' | 'POST'
  /** Path parameters as `:name`, followed by a pattern in braces if one may contain slashes. */
  path: string
  operation: Declared
} & ({ transport: 'procedure' } | { transport: 'route'; wire: RouteWire })

// Set once at startup, when the composition root has collected routes and procedures; read-only afterwards.
let registered: readonly CatalogEntry[] | undefined
let described: Catalog | undefined

export function registerCatalog(entries: readonly CatalogEntry[]): void {
  registered = entries
  described = undefined
}

/** The whole catalog with its digest. Throws if the server has not registered it yet. */
export function catalog(): Catalog {
  if (registered === undefined) throw new Error('The catalog has not been registered.')
  described ??= catalogOf(registered)
  return described
}

export function catalogOf(entries: readonly CatalogEntry[]): Catalog {
  const operations = entries.map(describe).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const digest = `sha256:${createHash('sha256').update(canonicalJson(operations)).digest('hex')}`
  return { digest, operations }
}

const keyOf = ({ path, method }: CatalogOperation) => `${path} ${method}`

/** The path as the catalog writes it: `/v1/policies/{policyId}/versions`. */
export const catalogPath = ({ path }: Pick<CatalogEntry, 'path'>): string =>
  path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}')

function describe(entry: CatalogEntry): CatalogOperation {
  const { name, transport, method, operation } = entry
  const { kind, permission, permissionForOwn = null } = operation
  const [summary, example] = [summaries[name] ?? name].flat()
  const wire = transport === 'procedure' ? procedureWire(operation) : routeWire(entry, entry.wire)
  return {
    name,
    summary: String(summary),
    kind,
    permission,
    permissionForOwn,
    transport,
    method,
    path: catalogPath(entry),
    ...wire,
    example: example ?? exampleOf(wire.input),
  }
}

type Wire = Pick<CatalogOperation, 'input' | 'places' | 'body' | 'headers' | 'statuses' | 'output' | 'produces'>

const procedureWire = ({ kind, input, output, justified }: Declared): Wire => ({
  input: inputSchema(input),
  places: {},
  body: {},
  headers: [
    ...(kind === 'mutation' ? ['idempotency-key'] : []),
    ...(kind === 'subscription' ? ['last-event-id'] : []),
    ...(justified === true ? ['x-svc-justification'] : []),
  ],
  statuses: [200],
  output: output === undefined ? null : jsonSchema(output, 'output'),
  produces: [kind === 'subscription' ? 'text/event-stream' : 'application/json'],
})

function routeWire({ method, path, operation }: CatalogEntry, wire: RouteWire): Wire {
  const own = propertiesOf(inputSchema(operation.input))
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, parameter = '']) => parameter)
  const parameters = inPath.map((parameter): Field => [parameter, own.get(parameter)?.[0] ?? { type: 'string' }, true])
  const others = [...own].filter(([field]) => !inPath.includes(field))
  const fields = others.map(([field, [schema, required]]): Field => [field, schema, required])
  const declared = wire.query === undefined ? [] : [...propertiesOf(inputSchema(wire.query))]
  const query = declared.map(([field, [schema, required]]): Field => [field, schema, required])
  const inQuery = method === 'GET' && wire.query === undefined ? fields : query
  const content: RouteContent = method === 'GET' ? {} : (wire.body ?? { 'application/json': 'fields' })
  const inBody = Object.values(content).includes('fields') ? fields : []
  const answer = wire.answer ?? { 'application/json': operation.output ?? z.unknown() }
  const json = answer['application/json']
  return {
    input: objectOf([...parameters, ...inQuery, ...inBody]),
    places: {
      ...placed(parameters, 'path'),
      ...placed(inQuery, 'query'),
      ...placed(inBody, 'body'),
    },
    body: Object.fromEntries(
      Object.entries(content).map(([type, given]) => [type, given === 'fields' ? objectOf(inBody) : documentOf(given)]),
    ),
    headers: [
      ...(wire.replays === true && method === 'POST' ? ['idempotency-key'] : []),
      ...(operation.justified === true ? ['x-svc-justification'] : []),
      ...(wire.headers ?? []),
    ],
    statuses: [...(wire.statuses ?? [200])],
    output: typeof json === 'object' ? jsonSchema(json, 'output') : null,
    produces: Object.keys(answer),
  }
}

type Field = [name: string, schema: JsonObject, required: boolean]

const placed = (fields: readonly Field[], place: 'path' | 'query' | 'body') =>
  Object.fromEntries(fields.map(([name]) => [name, place]))

const objectOf = (fields: readonly Field[]): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(fields.map(([name, schema]) => [name, schema])),
  required: fields.filter(([, , required]) => required).map(([name]) => name),
  additionalProperties: false,
})

const documentOf = (content: RouteContent[string]): JsonObject | null =>
  typeof content === 'string' ? null : jsonSchema(content, 'input')

function propertiesOf({ properties, required }: JsonObject): Map<string, [schema: JsonObject, required: boolean]> {
  const names = Array.isArray(required) ? required : []
  const known = isJsonObject(properties) ? Object.entries(properties) : []
  return new Map(known.map(([name, schema]) => [name, [isJsonObject(schema) ? schema : {}, names.includes(name)]]))
}

const inputSchema = (schema: z.ZodType): JsonObject =>
  schema === noInput ? { type: 'object', properties: {}, additionalProperties: false } : jsonSchema(schema, 'input')

/**
 * Constraints that JSON Schema can't express (refinements, omitted values) are left open: the server still checks them.
 * Recursive schemas are left open too (here, any JSON value), so that each schema is self-contained and can be embedded
 * in another document.
 */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return JSON.parse(JSON.stringify(rest), (key, value) => {
    if (key === '$defs') return undefined
    return isReference(value) ? {} : standardFormat(value)
  })
}

/** Texts of a format in lower case. zod writes the check as a format, which is not one of JSON Schema, and the format as a pattern. */
const lowerCase = [z.uuid(), z.email()].map((schema) => {
  const { type, format, pattern } = z.toJSONSchema(schema)
  return { pattern, standard: { type, format, pattern: '^[^A-Z]*$' } }
})

function standardFormat(value: unknown): unknown {
  if (!isJsonObject(value as JsonValue) || Reflect.get(Object(value), 'format') !== 'lowercase') return value
  const { format: _, allOf, ...rest } = value as JsonObject
  const patterns = Array.isArray(allOf) ? allOf.map((part) => (isJsonObject(part) ? part.pattern : undefined)) : []
  const known = lowerCase.find(({ pattern }) => patterns.includes(pattern ?? null))
  return known === undefined ? { ...rest, ...(allOf === undefined ? {} : { allOf }) } : { ...rest, ...known.standard }
}

const isReference = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && '$ref' in value && typeof value.$ref === 'string'
