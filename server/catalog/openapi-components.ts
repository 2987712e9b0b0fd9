import type { JsonObject } from '#lib/json.ts'
import type { CatalogOperation } from '#lib/schemas/catalog.ts'

const text: JsonObject = { type: 'string' }

/** Headers of requests that the catalog names, by their name in lower case. */
const headers: Record<string, JsonObject> = {
  'content-encoding': {
    schema: { type: 'string', enum: ['gzip', 'identity'] },
    description: 'How the body is compressed.',
  },
  'idempotency-key': {
    schema: { type: 'string', minLength: 1, maxLength: 200 },
    description: 'A repeated call with the same key and the same input gets the same response; another input gets 409.',
  },
  'if-none-match': {
    schema: text,
    description: 'The ETag of an earlier response: 304 without a body if it has not changed.',
  },
  'if-range': { schema: text, description: 'The ETag for which the range was chosen.' },
  'last-event-id': {
    schema: text,
    description: 'The id of the last event that was received: the stream continues after it.',
  },
  'mcp-protocol-version': { schema: text, description: 'The revision of the Model Context Protocol.' },
  range: { schema: text, description: 'One range of bytes, such as bytes=0-1023.' },
  'x-svc-justification': {
    schema: text,
    description: 'Why sensitive values are needed, as percent-encoded UTF-8. Replaces the field justification.',
  },
  'x-svc-tenant-external-id': {
    schema: text,
    description: 'Selects another organisation in which the caller has an active membership, by its external id.',
  },
  'x-svc-tenant-id': {
    schema: { type: 'string', format: 'uuid' },
    description: 'Selects another organisation in which the caller has an active membership, by its id.',
  },
}

/** A reference to the parameter of a header. Throws for a header that is not in the table. */
export function headerParameter(name: string): JsonObject {
  if (headers[name] === undefined) throw new Error(`Describe the header ${name} in openapi-components.ts.`)
  return { $ref: `#/components/parameters/${name}` }
}

const errors: Record<string, string> = {
  400: 'The input is not valid, or no organisation was chosen',
  401: 'The credential is missing, expired or invalid. Get a new token and repeat the call once',
  403: 'A permission or a membership is missing',
  404: 'Not found in this organisation',
  409: 'The object is in another state, or has another revision',
  413: 'The body is too large',
  415: 'The media type is not supported',
  429: 'Too many requests. Retry-After states when to try again',
  503: 'Temporarily unavailable. Retry-After states when to try again',
}

/** The statuses of errors that an operation can respond with, apart from the unexpected ones. */
export function errorStatuses({ method, kind, path }: CatalogOperation): number[] {
  const found = [400, 401, 403, 429, 503]
  if (path.includes('{') || kind !== 'query') found.push(404)
  if (kind === 'mutation') found.push(409)
  if (method === 'POST') found.push(413, 415)
  return found.sort((a, b) => a - b)
}

const issue = {
  type: 'object',
  properties: { path: text, message: text, line: { type: 'integer' }, column: { type: 'integer' } },
  required: ['path', 'message'],
}
const routeError = {
  type: 'object',
  description: 'Of a route, and of every call that selects an organisation without a membership.',
  properties: {
    error: { type: 'string' },
    code: text,
    requestId: text,
    retryable: { type: 'boolean' },
    issues: { type: 'array', items: issue },
  },
  required: ['error'],
}
const otlpError = {
  type: 'object',
  description: 'Of a route that receives telemetry, as JSON. A request in protobuf gets a google.rpc.Status.',
  properties: {
    message: text,
    error: text,
    reason: text,
    requestId: text,
    retryable: { type: 'boolean' },
  },
  required: ['error'],
}
const procedureError = {
  type: 'object',
  description: 'Of a procedure.',
  properties: {
    error: {
      type: 'object',
      properties: {
        json: {
          type: 'object',
          properties: {
            message: text,
            code: { type: 'integer' },
            data: {
              type: 'object',
              properties: {
                code: text,
                httpStatus: { type: 'integer' },
                path: { type: ['string', 'null'] },
                requestId: text,
                reason: text,
                retryable: { type: 'boolean' },
                issues: { type: 'array', items: issue },
              },
              required: ['code', 'httpStatus', 'requestId', 'reason', 'retryable'],
            },
          },
          required: ['message', 'code', 'data'],
        },
      },
      required: ['json'],
    },
  },
  required: ['error'],
}

const jsonRpcError = {
  type: 'object',
  description: 'Of the gateway, for a body that is not a message of the Model Context Protocol.',
  properties: {
    jsonrpc: { const: '2.0' },
    error: {
      type: 'object',
      properties: { code: { type: 'integer' }, message: text },
      required: ['code', 'message'],
    },
  },
  required: ['jsonrpc', 'error'],
}

const errorResponse = (description: string): JsonObject => ({
  description,
  headers: { 'x-request-id': { $ref: '#/components/headers/x-request-id' } },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

/** What the paths of the document refer to. `discovery` is the address of the provider's configuration. */
export const components = (discovery: string): JsonObject => ({
  securitySchemes: {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'An access token of a person or of a service account (client credentials).',
    },
    openId: {
      type: 'openIdConnect',
      openIdConnectUrl: discovery,
      description: 'The same tokens, with their provider.',
    },
    apiKey: { type: 'apiKey', in: 'header', name: 'x-svc-api-key', description: 'Reads the queue of approvals only.' },
  },
  headers: { 'x-request-id': { schema: text, description: 'Names this call in the server’s log.' } },
  parameters: Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [name, { name, in: 'header', required: false, ...header }]),
  ),
  schemas: {
    Error: {
      anyOf: ['RouteError', 'OtlpError', 'ProcedureError', 'JsonRpcError'].map((name) => ({
        $ref: `#/components/schemas/${name}`,
      })),
    },
    RouteError: routeError,
    OtlpError: otlpError,
    ProcedureError: procedureError,
    JsonRpcError: jsonRpcError,
  },
  responses: {
    ...Object.fromEntries(Object.entries(errors).map(([status, line]) => [status, errorResponse(line)])),
    default: errorResponse('Another error'),
  },
})
