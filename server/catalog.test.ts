import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { list } from '#server/catalog/list.ts'
import { openapi } from '#server/catalog/openapi.ts'
import { registerCatalog } from '#server/catalog/operations.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute } from '#server/kernel/operation.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { collectCatalog } from './catalog.ts'

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
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
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

test('the OpenAPI document lists each operation once, without dangling references', async () => {
  const document = await execute(openapi, caller, undefined, { name: 'catalog.openapi' })
  const { operations, digest } = await read()
  expect(document).toMatchObject({ openapi: '3.1.0', info: { 'x-catalog-digest': digest } })
  const described = Object.entries(Object(document.paths)).flatMap(([path, methods]) =>
    Object.entries(Object(methods)).map(([method, operation]) => ({ path, method, ...Object(operation) })),
  )
  expect(described.map(({ path, method }) => `${method} ${path}`).sort()).toEqual(
    operations.map(({ path, method }) => `${method.toLowerCase()} ${path}`).sort(),
  )
  expect(new Set(described.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const { path, parameters = [] } of described)
    expect(
      parameters.flatMap((one: { in: string; name: string }) => (one.in === 'path' ? [`{${one.name}}`] : [])),
    ).toEqual(path.match(/\{\w+\}/g) ?? [])
  expect(JSON.stringify(document)).not.toContain('"$ref"')
  expect(document).toMatchObject({
    security: [{ bearer: [] }, { apiKey: [] }],
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
