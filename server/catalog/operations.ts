import { createHash } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import type { Catalog, CatalogOperation } from '#lib/schemas/catalog.ts'
import type { Declared } from '#server/kernel/operation.ts'

/** One operation at one address. An operation behind both a procedure and a route counts twice. */
export type CatalogEntry = {
  name: string
  transport: 'procedure' | 'route'
  method: 'GET' | 'POST'
  /** Path parameters as `:name`. */
  path: string
  operation: Declared
}

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
  if (described === undefined) {
    const operations = registered.map(describe).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    const digest = `sha256:${createHash('sha256').update(canonicalJson(operations)).digest('hex')}`
    described = { digest, operations }
  }
  return described
}

const keyOf = ({ path, method }: CatalogOperation) => `${path} ${method}`

const describe = ({ operation, path, ...entry }: CatalogEntry): CatalogOperation => ({
  ...entry,
  path: path.replaceAll(/:(\w+)/g, '{$1}'),
  kind: operation.kind,
  permission: operation.permission,
  input: jsonSchema(operation.input, 'input'),
  output: operation.output === undefined ? null : jsonSchema(operation.output, 'output'),
})

/**
 * Constraints that JSON Schema can't express (refinements, omitted values) are left open: the server still checks them.
 * Recursive schemas are left open too (here, any JSON value), so that each schema is self-contained and can be embedded
 * in another document.
 */
const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): JsonObject =>
  JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: 'any' })), (key, value) => {
    if (key === '$defs') return undefined
    return isReference(value) ? {} : value
  })

const isReference = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && '$ref' in value && typeof value.$ref === 'string'
