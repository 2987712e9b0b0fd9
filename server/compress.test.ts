import { request as sendRequest } from 'node:http'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compressed, mayBeCompressed } from '#server/kernel/answers/compress.ts'
import { unlessKnown } from '#server/kernel/answers/unchanged.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { collectCatalog } from './catalog.ts'

// Answers are compressed for clients that accept it, except those whose length would reveal something.

const entries = collectCatalog()
const namesOf = (chosen: typeof entries) => [...new Set(chosen.map(({ name }) => name))].sort()

describe('operations', () => {
  test('exactly these may show a secret or an unmasked value, and are never compressed', () => {
    expect(namesOf(entries.filter(({ operation }) => operation.showsSecrets === true))).toEqual([
      'connectionTokens.create',
      'members.invite',
      'members.resetPassword',
      'notifications.createChannel',
      'notifications.rotateSecret',
      'secrets.createApiKey',
      'serviceAccounts.create',
      'serviceAccounts.rotateSecret',
      'traces.getSpan',
      'traces.getTrace',
    ])
  })

  test('whose answers a replay does not repeat in full are among them', () => {
    const hiding = entries.filter(({ operation }) => 'replay' in operation)
    expect(hiding.length).toBeGreaterThan(4)
    expect(namesOf(hiding.filter(({ operation }) => operation.showsSecrets !== true))).toEqual([])
  })

  test('whose answers have a field with the name of a secret are among them', () => {
    const suspicious = entries.flatMap(({ name, operation: { output, showsSecrets } }) =>
      output === undefined || showsSecrets === true
        ? []
        : fieldsOf(output)
            .filter(
              (field) =>
                !/(Id|At)$/.test(field) &&
                /secret|token|password|^key$|(invite|sign.?in|reset).*(url|link)/i.test(field),
            )
            .map((field) => `${name}: ${field}`),
    )
    expect([...new Set(suspicious)].sort()).toEqual([])
  })
})

/** The names of all texts in an output. */
function fieldsOf(output: z.ZodType): string[] {
  const found: string[] = []
  const visit = (schema: unknown, name: string): void => {
    if (Array.isArray(schema)) for (const one of schema) visit(one, name)
    if (typeof schema !== 'object' || schema === null) return
    const { properties, ...rest } = schema as { properties?: object; type?: unknown }
    if (rest.type === 'string') found.push(name)
    for (const [field, one] of Object.entries(properties ?? {})) visit(one, field)
    for (const [field, one] of Object.entries(rest))
      if (['items', 'anyOf', 'allOf', 'oneOf', '$defs', 'additionalProperties'].includes(field)) visit(one, name)
  }
  visit(z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' }), '')
  return found
}

describe('a response', () => {
  const asking = new Request('http://localhost/', { headers: { 'accept-encoding': 'zstd, br, gzip' } })
  const large = { text: 'a'.repeat(5000) }

  test('that no one has permitted is sent as it is', async () => {
    const response = Response.json(large)
    expect(await compressed(asking, response)).toBe(response)
    expect(response.headers.get('vary')).toBeNull()
  })

  test.each([
    ['an error', Response.json(large, { status: 400 })],
    ['a part of a batch that failed', Response.json(large, { status: 207 })],
    ['a range', Response.json(large, { status: 206, headers: { 'content-range': 'bytes 0-4999/9000' } })],
    ['a stream of JSON', Response.json(large, { headers: { 'transfer-encoding': 'chunked' } })],
    ['a stream of events', new Response('data: 1\n\n', { headers: { 'content-type': 'text/event-stream' } })],
    ['a body that has a coding', Response.json(large, { headers: { 'content-encoding': 'gzip' } })],
    ['bytes', new Response('a'.repeat(5000), { headers: { 'content-type': 'application/octet-stream' } })],
  ])('that is %s is sent as it is', async (_what, response) => {
    expect(await compressed(asking, mayBeCompressed(response))).toBe(response)
  })

  test('loses the length of its uncompressed body', async () => {
    const response = mayBeCompressed(Response.json(large, { headers: { 'content-length': '5011' } }))
    const { headers } = await compressed(asking, response)
    expect([headers.get('content-encoding'), headers.get('content-length')]).toEqual(['zstd', null])
  })
})

test('an answer is confirmed only if a client may store it, and only to a read of it', async () => {
  const answer = (cache: string) => new Response('a', { headers: { etag: '"a"', 'cache-control': cache } })
  const knowing = (method: string) => new Request('http://localhost/', { method, headers: { 'if-none-match': '"a"' } })
  expect((await unlessKnown(knowing('GET'), answer('public, max-age=31536000, immutable'))).status).toBe(304)
  expect((await unlessKnown(knowing('GET'), answer('no-store'))).status).toBe(200)
  expect((await unlessKnown(knowing('POST'), answer('no-cache'))).status).toBe(200)
})

describe('over HTTP', () => {
  let api: TestApi
  let reader: string
  beforeAll(async () => {
    api = await startApi()
    reader = await api.person('maria')
  }, 180_000)
  afterAll(() => api.close())

  type Raw = { status: number | undefined; headers: Record<string, string>; body: Buffer }

  /** As it is on the wire: fetch would decode it. */
  const raw = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> =>
    new Promise((resolve, reject) => {
      const url = new URL(path, api.baseUrl)
      const sent = sendRequest(
        url,
        { method, headers: { authorization: `Bearer ${reader}`, ...headers } },
        (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('error', reject)
          answer.on('end', () =>
            resolve({
              status: answer.statusCode,
              headers: answer.headers as Record<string, string>,
              body: Buffer.concat(chunks),
            }),
          )
        },
      )
      sent.on('error', reject).end()
    })

  const decoders: Record<string, (body: Buffer) => Promise<Buffer>> = {
    zstd: promisify(zlib.zstdDecompress),
    br: promisify(zlib.brotliDecompress),
    gzip: promisify(zlib.gunzip),
  }
  const procedure = '/v1/catalog.list'

  test.each([
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['br;q=0, GZIP;q=0.5', 'gzip'],
  ])('with Accept-Encoding: %s, an answer is sent as %s, and is the same when decoded', async (accepted, coding) => {
    const whole = await raw(procedure)
    expect(whole.headers['content-encoding']).toBeUndefined()
    const { headers, body } = await raw(procedure, { 'accept-encoding': accepted })
    expect(headers['content-encoding']).toBe(coding)
    expect(headers.vary).toContain('accept-encoding')
    expect(headers['content-length']).toBe(String(body.length))
    expect(body.length).toBeLessThan(whole.body.length / 4)
    expect(await decoders[coding]?.(body)).toEqual(whole.body)
  })

  test.each([['identity'], ['deflate'], ['gzip;q=0, br;q=0.000, zstd;q=0']])(
    'with Accept-Encoding: %s, it is sent as it is',
    async (accepted) => {
      const { headers } = await raw(procedure, { 'accept-encoding': accepted })
      expect([headers['content-encoding'], headers.vary]).toEqual([
        undefined,
        expect.stringContaining('accept-encoding'),
      ])
    },
  )

  test('the answer to HEAD has the headers of the one to GET', async () => {
    const coding = { 'accept-encoding': 'br' }
    const [get, head] = [await raw(procedure, coding), await raw(procedure, coding, 'HEAD')]
    expect(head.body.length).toBe(0)
    for (const name of ['content-encoding', 'vary', 'content-type', 'cache-control'])
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]])
  })

  test('a short answer is sent as it is', async () => {
    const { headers, body } = await raw('/v1/tenants.current', { 'accept-encoding': 'gzip, br, zstd' })
    expect(body.length).toBeLessThan(1024)
    expect(headers['content-encoding']).toBeUndefined()
    expect(JSON.parse(body.toString())).toHaveProperty('result.data.json')
  })

  test('an answer that may contain unmasked values is not compressed, alone or in a batch', async () => {
    const traces = payload<{ items: { traceId: string }[] }>(await api.query(reader, 'traces.list', {}))
    const { externalId } = payload<{ externalId: string }>(await api.query(reader, 'tenants.current'))
    const input = { json: { tenantId: externalId, traceId: traces.items[0]?.traceId } }
    const accepting = { 'accept-encoding': 'gzip, br, zstd' }
    const alone = await raw(`/v1/traces.getTrace?input=${encodeURIComponent(JSON.stringify(input))}`, accepting)
    expect([alone.status, alone.headers['content-encoding']]).toEqual([200, undefined])
    expect(alone.body.length).toBeGreaterThan(1024)
    const batch = async (names: string, inputs: object) =>
      await raw(`/v1/${names}?batch=1&input=${encodeURIComponent(JSON.stringify(inputs))}`, accepting)
    const both = await batch('catalog.list,traces.getTrace', { 1: input })
    expect([both.status, both.headers['content-encoding']]).toEqual([200, undefined])
    const harmless = await batch('catalog.list,tenants.current', {})
    expect([harmless.status, harmless.headers['content-encoding']]).toEqual([200, 'zstd'])
  })

  test('a batch that is streamed arrives uncompressed, answer by answer', async () => {
    const streamed = { 'accept-encoding': 'gzip, br, zstd', 'trpc-accept': 'application/jsonl' }
    const { status, headers } = await raw('/v1/catalog.list,tenants.current?batch=1&input=%7B%7D', streamed)
    expect([status, headers['content-encoding']]).toEqual([200, undefined])
  })

  test('the identity provider’s answers are not compressed', async () => {
    const path = '/realms/northwind/.well-known/openid-configuration'
    const { status, headers, body } = await raw(path, { 'accept-encoding': 'gzip, br, zstd' })
    expect([status, headers['content-encoding']]).toEqual([200, undefined])
    expect(body.length).toBeGreaterThan(1024)
  })

  describe.each(['/v1/openapi.json', '/v1/catalog'])('%s', (path) => {
    test('is answered with 304 to a client that has it, and with itself to any other', async () => {
      const { status, headers } = await raw(path, { 'accept-encoding': 'br' })
      expect([status, headers['content-encoding'], headers['cache-control']]).toEqual([200, 'br', 'private, no-cache'])
      const known = { 'if-none-match': headers.etag ?? '' }
      for (const method of ['GET', 'HEAD']) {
        const again = await raw(path, { ...known, 'accept-encoding': 'br' }, method)
        expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, headers.etag])
        expect(again.headers['content-encoding']).toBeUndefined()
      }
      expect((await raw(path, { 'if-none-match': 'W/"another"' })).status).toBe(200)
    })

    test('is not confirmed to a caller without credentials', async () => {
      const { etag = '' } = (await raw(path)).headers
      expect((await raw(path, { 'if-none-match': etag, authorization: 'Bearer none' })).status).toBe(401)
    })
  })
})
