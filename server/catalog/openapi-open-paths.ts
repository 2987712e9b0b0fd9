import type { JsonObject } from '#lib/json.ts'

const text: JsonObject = { type: 'string' }
const error: JsonObject = { $ref: '#/components/responses/default' }
const json = (schema: JsonObject): JsonObject => ({ 'application/json': { schema } })

const open = (operationId: string, summary: string, rest: { parameters?: JsonObject[]; responses: JsonObject }) => ({
  get: { operationId, summary, description: 'Needs no credential.', tags: ['public'], security: [], ...rest },
})
const inPath = (name: string, example: string): JsonObject => ({
  name,
  in: 'path',
  required: true,
  schema: text,
  example,
})
const inQuery = (name: string, schema: JsonObject): JsonObject => ({ name, in: 'query', required: false, schema })

/** Routes without an operation, whose callers do not have a token yet. */
export const openPaths: Record<string, JsonObject> = {
  '/.well-known/countersign/{externalId}/log-keys.json': open(
    'public.logKeys',
    'Get the keys and latest heads of a log',
    {
      parameters: [
        inPath('externalId', 'ext-northwind'),
        inQuery('seals', { type: 'integer', minimum: 0 }),
        inQuery('day', { type: 'string', format: 'date' }),
        inQuery('size', { type: 'integer', minimum: 0 }),
      ],
      responses: { 200: { description: 'Success', content: json({ type: 'object' }) }, '4XX': error, default: error },
    },
  ),
  '/.well-known/oauth-protected-resource/v1/mcp/t/{externalId}/{agent}/{server}': open(
    'public.gatewayMetadata',
    'Find out where to sign in for an address of the MCP gateway',
    {
      parameters: [
        inPath('externalId', 'ext-northwind'),
        inPath('agent', 'refund-assistant'),
        inPath('server', 'payments'),
        inQuery('environment', text),
      ],
      responses: { 200: { description: 'Success', content: json({ type: 'object' }) }, '4XX': error, default: error },
    },
  ),
  '/v1/branding/{sha256}': open('public.brandingImage', 'Get an image of an organisation’s branding', {
    parameters: [inPath('sha256', '0123456789abcdef'.repeat(4))],
    responses: {
      200: {
        description: 'Success',
        content: { 'image/svg+xml': {}, 'image/png': {}, 'image/jpeg': {}, 'image/webp': {} },
      },
      '4XX': error,
      default: error,
    },
  }),
  '/v1/health/live': open('public.live', 'Check that the process answers', {
    responses: {
      200: { description: 'Success', content: json({ type: 'object', properties: { status: { const: 'live' } } }) },
      '4XX': error,
      default: error,
    },
  }),
  '/v1/health/ready': open('public.ready', 'Check that the process can serve requests', {
    responses: {
      200: { description: 'Ready', content: json({ type: 'object', properties: { status: { const: 'ready' } } }) },
      503: {
        description: 'Not ready',
        content: json({
          type: 'object',
          properties: { status: { enum: ['starting', 'migrating', 'unavailable', 'stopping'] } },
        }),
      },
      '4XX': error,
      default: error,
    },
  }),
}
