import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { CatalogOperation } from '#lib/schemas/catalog.ts'
import { JsonObject as JsonObjectSchema } from '#lib/schemas/common.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { noInput, query } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { components, errorStatuses, headerParameter } from './openapi-components.ts'
import { openPaths } from './openapi-open-paths.ts'
import { catalog } from './operations.ts'

/**
 * The catalog as an OpenAPI 3.1 document. A subscription is described as its HTTP form, a stream of server-sent events.
 */
export const openapi = query({
  permission: 'any',
  input: noInput,
  output: JsonObjectSchema,
  run: async ({ tenant }) => openapiDocument(tenant),
})

/** `tenant` is the caller's: the document names the provider that issues its tokens. */
export function openapiDocument({ slug }: Pick<Tenant, 'slug'>): JsonObject {
  const { digest, operations } = catalog()
  const { baseUrl, authUrl } = runtime().config
  const paths: Record<string, JsonObject> = { ...openPaths }
  for (const operation of operations)
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(operation) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: 'v1',
      description,
      license: { name: 'Proprietary' },
      contact: { name: 'The operator of this server', url: baseUrl },
      'x-catalog-digest': digest,
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set([...operations.map(tagOf), 'public'])].sort().map((name) => ({ name, description: `${name}.*` })),
    security: [{ bearer: [] }, { openId: [] }, { apiKey: [] }],
    components: components(`${authUrl}/realms/${slug}/.well-known/openid-configuration`),
    paths,
  }
}

const description = `Procedures have a dotted name. A query is a GET whose parameter \`input\` is \`{"json": …}\`; one with a long input may be sent as a POST with the same JSON as its body. A mutation is a POST; its body may also be the input without \`json\`. A subscription is a stream of server-sent events. Routes take path, query string and body as described here.

Constraints that JSON Schema can’t express are checked by the server, which answers 400 with the fields in \`issues\`.`

const tagOf = ({ name }: CatalogOperation) => name.split('.', 1)[0] ?? name

function describe(operation: CatalogOperation): JsonObject {
  const { transport, name, summary, permission, permissionForOwn, headers } = operation
  const { parameters, requestBody } = transport === 'procedure' ? procedureInput(operation) : routeInput(operation)
  return {
    operationId: `${transport === 'route' ? 'rest.' : ''}${name}`,
    summary,
    description: needed(permission, permissionForOwn),
    tags: [tagOf(operation)],
    'x-permission': permission,
    ...(permissionForOwn === null ? {} : { 'x-permission-for-own': permissionForOwn }),
    parameters: [...parameters, ...[...headers, 'x-svc-tenant-external-id', 'x-svc-tenant-id'].map(headerParameter)],
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: {
      ...Object.fromEntries(operation.statuses.map((status) => [String(status), answer(operation, status)])),
      ...(operation.headers.includes('if-none-match') ? { 304: { description: 'Not changed since' } } : {}),
      ...Object.fromEntries(
        errorStatuses(operation).map((status) => [String(status), { $ref: `#/components/responses/${status}` }]),
      ),
      default: { $ref: '#/components/responses/default' },
    },
  }
}

const needed = (permission: string, forOwn: string | null) =>
  permission === 'any'
    ? 'For every authenticated member.'
    : `Requires the permission \`${permission}\`${forOwn === null ? '' : `, or \`${forOwn}\` for the caller’s own`}.`

const member = (name: string, schema: JsonObject): JsonObject => ({
  type: 'object',
  properties: { [name]: schema },
  required: [name],
})
const wrapped = (schema: JsonObject): JsonObject => member('json', schema)

function answer({ transport, output, produces }: CatalogOperation, status: number): JsonObject {
  const schema = transport === 'route' || output === null ? output : member('result', member('data', wrapped(output)))
  const contentOf = (type: string): JsonObject =>
    type === 'application/json' && schema !== null
      ? { schema }
      : type.startsWith('text/')
        ? { schema: { type: 'string' } }
        : {}
  return {
    description: descriptions[status] ?? 'Success',
    headers: { 'x-request-id': { $ref: '#/components/headers/x-request-id' } },
    content: Object.fromEntries(produces.map((type) => [type, contentOf(type)])),
  }
}

const descriptions: Record<number, string> = {
  201: 'Created',
  202: 'Accepted: the work follows',
  206: 'The requested range',
}

type Input = { parameters: JsonObject[]; requestBody?: JsonObject }

const isRequired = ({ required }: JsonObject): boolean => Array.isArray(required) && required.length > 0

function procedureInput({ method, input, example }: CatalogOperation): Input {
  const content = { 'application/json': { schema: wrapped(input), example: { json: example } } }
  if (method === 'POST') return { parameters: [], requestBody: { required: isRequired(input), content } }
  const none = isJsonObject(input.properties) && Object.keys(input.properties).length === 0
  return { parameters: none ? [] : [{ name: 'input', in: 'query', required: isRequired(input), content }] }
}

function routeInput({ input, places, body, example }: CatalogOperation): Input {
  const properties = isJsonObject(input.properties) ? input.properties : {}
  const required = Array.isArray(input.required) ? input.required : []
  const given = isJsonObject(example) ? example : {}
  const names = Object.entries(places)
  const parameters = names
    .filter(([, place]) => place !== 'body')
    .map(([name, place]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      schema: properties[name] ?? {},
      ...(given[name] === undefined ? {} : { example: given[name] }),
    }))
  const types = Object.entries(body)
  if (types.length === 0) return { parameters }
  const fields = names.filter(([, place]) => place === 'body').map(([name]) => name)
  const sent = Object.fromEntries(
    fields.flatMap((name): [string, JsonValue][] => {
      const value = given[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const content = types.map(([type, schema]) => [
    type,
    schema === null ? {} : { schema, ...(fields.length > 0 && type === 'application/json' ? { example: sent } : {}) },
  ])
  return { parameters, requestBody: { required: true, content: Object.fromEntries(content) } }
}
