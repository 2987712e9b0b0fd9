import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { list } from '#server/catalog/list.ts'
import { openapi } from '#server/catalog/openapi.ts'
import { catalogPath, registerCatalog } from '#server/catalog/operations.ts'
import { summaries } from '#server/catalog/summaries.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute } from '#server/kernel/operation.ts'
import { resolved } from '#server/testing/declared.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { collectCatalog, openRoutes } from './catalog.ts'

// The catalog describes exactly what the server serves, and every operation declares a permission.

let runtime: Awaited<ReturnType<typeof testRuntime>>
let caller: Caller
beforeAll(async () => {
  runtime = await testRuntime()
  caller = await (await testTenant(runtime)).as('reader')
  registerCatalog(collectCatalog())
})
afterAll(() => runtime.close())

const read = () => execute(list, caller, undefined, { name: 'catalog.list' })

test('a route whose handler declares no operation stops the server from starting', () => {
  const handler = () => Promise.resolve(new Response())
  expect(() => collectCatalog([['/v1/forgotten', { POST: handler }]])).toThrow(
    'POST /v1/forgotten declares no operation',
  )
})

test('catalog.list returns every procedure and route with its permission and schemas', async () => {
  const { operations } = await read()
  expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
    collectCatalog()
      .map((entry) => `${entry.method} ${catalogPath(entry)}`)
      .sort(),
  )
  expect(operations.find(({ path }) => path === '/v1/policies/{policyId}/versions/{version}/publish')).toMatchObject({
    name: 'policyVersions.publish',
    kind: 'mutation',
    permission: 'policy:author',
    transport: 'route',
    method: 'POST',
    input: { type: 'object', required: ['policyId', 'version'], additionalProperties: false },
    output: { type: 'object' },
  })
  expect(operations.find(({ name }) => name === 'traces.stream')).toMatchObject({
    kind: 'subscription',
    transport: 'procedure',
    method: 'GET',
    output: null,
  })
})

test('the digest covers the operations: stable for one API, different for another', async () => {
  const { digest } = await read()
  registerCatalog(collectCatalog())
  expect((await read()).digest).toBe(digest)
  registerCatalog(collectCatalog().slice(1))
  expect((await read()).digest).not.toBe(digest)
  registerCatalog(collectCatalog())
})

test('every operation has a summary and an example that its schema accepts', async () => {
  const { operations } = await read()
  expect(operations.filter(({ name, summary }) => summary === name).map(({ name }) => name)).toEqual([])
  expect(Object.keys(summaries).filter((name) => operations.every((operation) => operation.name !== name))).toEqual([])
  const refused = collectCatalog().flatMap((entry) => {
    const listed = operations.find(({ method, path }) => method === entry.method && path === catalogPath(entry))
    const given =
      entry.transport === 'route' && entry.wire.query !== undefined ? entry.wire.query : entry.operation.input
    // A document of its own is not an input.
    if (
      entry.transport === 'route' &&
      !['fields', undefined].includes(entry.wire.body?.['application/json'] as 'fields')
    )
      return []
    const parsed = given.safeParse(listed?.example)
    return parsed.success ? [] : [`${entry.name}: ${z.prettifyError(parsed.error)}`]
  })
  expect(refused).toEqual([])
})

test('the catalog states where a route expects each field, and what it sends and accepts', async () => {
  const { operations } = await read()
  const of = (name: string) => operations.find((operation) => operation.name === name)
  expect(of('log.get')).toMatchObject({
    path: '/v1/log/{path}',
    places: { path: 'path', seals: 'query', day: 'query', size: 'query' },
    produces: ['text/plain', 'application/octet-stream', 'application/json'],
  })
  expect(of('files.upload')).toMatchObject({
    places: { name: 'query' },
    body: { 'application/octet-stream': null },
    statuses: [201],
  })
  expect(of('evidence.download')).toMatchObject({
    produces: ['application/zip'],
    output: null,
    statuses: [200, 206],
    headers: ['range', 'if-range'],
  })
  expect(of('evidence.getExport')).toMatchObject({
    permission: 'evidence:list',
    permissionForOwn: 'evidence:export',
  })
  expect(of('evidence.createExport')).toMatchObject({
    statuses: [202],
    headers: ['idempotency-key', 'x-svc-justification'],
  })
  expect(of('evidence.estimateExport')?.places).toMatchObject({ agentId: 'query', startDate: 'query' })
  expect(of('metrics.read')).toMatchObject({ produces: ['text/plain'], output: null })
  expect(of('telemetry.export')).toMatchObject({ produces: ['application/json', 'application/x-protobuf'] })
  expect(of('policyVersions.publish')).toMatchObject({ places: { policyId: 'path', version: 'path' }, body: {} })
  expect(of('mcp.call')?.places).toEqual({ agent: 'path', server: 'path', environment: 'query' })
})

test('no schema has the form of a tuple, which tools for OpenAPI misread', async () => {
  const { operations } = await read()
  expect(operations.filter((operation) => JSON.stringify(operation).includes('"prefixItems"'))).toEqual([])
})

test('the OpenAPI document lists each operation once, without dangling references', async () => {
  const document = await execute(openapi, caller, undefined, { name: 'catalog.openapi' })
  const { operations, digest } = await read()
  expect(document).toMatchObject({ openapi: '3.1.0', info: { 'x-catalog-digest': digest } })
  const all = Object.entries(Object(document.paths)).flatMap(([path, methods]) =>
    Object.entries(Object(methods)).map(([method, operation]) => ({ path, method, ...Object(operation) })),
  )
  const isOpen = ({ tags }: { tags: string[] }) => tags.includes('public')
  expect(all.filter(isOpen).map(({ path }) => path)).toEqual(
    [...openRoutes].map((path) => path.replaceAll(/:(\w+)/g, '{$1}')),
  )
  const described = all.filter((operation) => !isOpen(operation))
  expect(described.map(({ path, method }) => `${method} ${path}`).sort()).toEqual(
    operations.map(({ path, method }) => `${method.toLowerCase()} ${path}`).sort(),
  )
  expect(new Set(described.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const { path, parameters = [] } of described)
    expect(
      parameters.flatMap((one: { in: string; name: string }) => (one.in === 'path' ? [`{${one.name}}`] : [])),
    ).toEqual(path.match(/\{\w+\}/g) ?? [])
  for (const [, reference = ''] of JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g))
    expect(resolved(document, { $ref: reference })).toBeTypeOf('object')
  expect(document).toMatchObject({
    servers: [{ url: 'http://localhost:3000' }],
    security: [{ bearer: [] }, { openId: [] }, { apiKey: [] }],
    components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-svc-api-key' } } },
  })
})

/** The fields of an input that a person fills with a text for others, in every operation. */
const texts = collectCatalog().flatMap(({ name, operation: { input } }) =>
  ['reason', 'justification', 'purpose'].flatMap((field) => {
    const schema: unknown = input instanceof z.ZodObject ? input.shape[field] : undefined
    return schema instanceof z.ZodType && schema.safeParse('A customer asked about it.').success
      ? [[`${field} of ${name}`, schema] as const]
      : []
  }),
)

test('reasons, purposes and justifications were found', () => {
  expect(texts.length).toBeGreaterThan(20)
})

test.each(texts)('the %s must contain visible characters', (_name, schema) => {
  for (const invisible of ['\u200b'.repeat(30), '\u202e\u2066\u2069'.repeat(10), ' \u00a0\u3000 '.repeat(10), '\u3164'])
    expect(schema.safeParse(invisible).success).toBe(false)
})
