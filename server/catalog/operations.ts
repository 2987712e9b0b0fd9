import { createHash } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import type { Catalog, CatalogOperation } from '#lib/schemas/catalog.ts'
import type { Declared } from '#server/kernel/operation.ts'

/** One operation where it can be called. An operation behind a procedure and a route counts twice. */
export type CatalogEntry = {
  name: string
  transport: 'procedure' | 'route'
  method: 'GET' | 'POST'
  /** Path parameters as `:name`. */
  path: string
  operation: Declared
}

// Set once at start, when the composition root has put routes and procedures together; then only read.
let registered: readonly CatalogEntry[] | undefined
let described: Catalog | undefined

export function registerCatalog(entries: readonly CatalogEntry[]): void {
  registered = entries
  described = undefined
}

/** The whole catalog with its digest. Throws before the server has registered it. */
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
 * What JSON Schema can't say (a refinement, a value that is left out) is left open: the server still checks it. So is what
 * refers to itself, which is any JSON value here: each schema then stands alone and may be put inside another document.
 */
const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): JsonObject =>
  JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: 'any' })), (key, value) => {
    if (key === '$defs') return undefined
    return isReference(value) ? {} : value
  })

const isReference = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && '$ref' in value && typeof value.$ref === 'string'
