import type { JsonObject } from '#lib/json.ts'
import type { CatalogOperation } from '#lib/schemas/catalog.ts'
import { JsonObject as JsonObjectSchema } from '#lib/schemas/common.ts'
import { noInput, query } from '#server/kernel/operation.ts'
import { catalog } from './operations.ts'

/**
 * The catalog as an OpenAPI 3.1 document. A subscription is described as its HTTP form, a stream of server-sent events.
 */
export const openapi = query({
  permission: 'any',
  input: noInput,
  output: JsonObjectSchema,
  async run() {
    const { digest, operations } = catalog()
    const paths: Record<string, Record<string, JsonObject>> = {}
    for (const operation of operations)
      paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(operation) }
    return {
      openapi: '3.1.0',
      info: { title: 'Countersign', version: 'v1', 'x-catalog-digest': digest },
      security,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          apiKey: { type: 'apiKey', in: 'header', name: 'x-svc-api-key' },
        },
      },
      paths,
    }
  },
})

/** Either scheme is sufficient. */
const security: JsonObject[] = [{ bearer: [] }, { apiKey: [] }]

const describe = (operation: CatalogOperation): JsonObject => ({
  operationId: `${operation.transport === 'route' ? 'rest.' : ''}${operation.name}`,
  'x-permission': operation.permission,
  ...(operation.transport === 'procedure' ? procedureInput(operation) : routeInput(operation)),
  responses: { '2XX': { description: 'Success', ...answer(operation) }, default: { description: 'Error' } },
})

const json = (schema: JsonObject) => ({ content: { 'application/json': { schema } } })
const wrapped = (schema: JsonObject) => ({ type: 'object', properties: { json: schema }, required: ['json'] })

function answer({ transport, output }: CatalogOperation): JsonObject {
  if (output === null) return { content: { 'text/event-stream': {} } }
  if (transport === 'route') return json(output)
  const data = { type: 'object', properties: { data: wrapped(output) }, required: ['data'] }
  return json({ type: 'object', properties: { result: data }, required: ['result'] })
}

const procedureInput = ({ method, input }: CatalogOperation): JsonObject =>
  method === 'POST'
    ? { requestBody: json(wrapped(input)) }
    : { parameters: [{ name: 'input', in: 'query', ...json(wrapped(input)) }] }

/**
 * A route's input is one schema: fields that are not in the path are in the query string of a GET or the body of a
 * POST.
 */
function routeInput({ method, path, input }: CatalogOperation): JsonObject {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const properties = JsonObjectSchema.catch({}).parse(input.properties)
  const required = Array.isArray(input.required) ? input.required.map(String) : []
  const rest = Object.entries(properties).filter(([name]) => !inPath.includes(name))
  const parameters = inPath.map((name) => ({ name, in: 'path', required: true, schema: properties[name] ?? {} }))
  if (method === 'GET') {
    const inQuery = rest.map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }))
    return { parameters: [...parameters, ...inQuery] }
  }
  const body = {
    ...input,
    properties: Object.fromEntries(rest),
    required: required.filter((name) => !inPath.includes(name)),
  }
  return { parameters, ...(rest.length === 0 ? {} : { requestBody: json(body) }) }
}
