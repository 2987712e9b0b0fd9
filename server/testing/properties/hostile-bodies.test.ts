import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collectCatalog } from '#server/catalog.ts'
import { wireLimits } from '#server/kernel/limits.ts'
import { decodeJson } from '#server/telemetry/decode-json.ts'
import { decodeProtobuf } from '#server/telemetry/decode-protobuf.ts'
import { Allowance, OtlpError, OtlpTooMuch } from '#server/telemetry/otlp.ts'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { type HostileBody, heavyInputs, jsonBodies, telemetryBodies } from '#server/testing/fuzz/bodies.ts'
import { addressOf, requestOf } from './call.ts'
import { countCases, sized } from './counts.ts'

// The largest bodies that are allowed, over every route that reads one, while another tenant works. Times are measured only by
// `npm run proof`: neighbours of this run would fail them.

const catalog = collectCatalog()
type Entry = (typeof catalog)[number]
const full = sized(true, false)
const posts = catalog.filter(({ method }) => method === 'POST')

let api: TestApi
beforeAll(async () => {
  api = await startApi({ LOG_LEVEL: 'error' })
}, 180_000)
afterAll(() => api.close())

const isTelemetry = ({ path }: Entry) => path === '/v1/traces'
const isFile = ({ path }: Entry) => path === '/v1/files'

/** Every route that reads a body, with the bodies for it. In `npm test` the routes share the bodies of JSON between them. */
function* cases(): Generator<{ entry: Entry; body: HostileBody }> {
  const json = jsonBodies()
  let turn = 0
  for (const entry of posts)
    if (isTelemetry(entry)) for (const body of telemetryBodies()) yield { entry, body }
    else if (!isFile(entry))
      for (const body of full ? json : [json[turn++ % json.length]]) if (body !== undefined) yield { entry, body }
}

async function tokenFor({ path }: Entry): Promise<string> {
  if (path === '/v1/traces') return await api.client('telemetry')
  return await (/agents|policies$|executions/.test(path) ? api.client('ci-pipeline') : api.client('admin-automation'))
}

async function send(entry: Entry, { type, encoding, body }: HostileBody): Promise<number> {
  const { path } = requestOf(entry, {})
  const headers = {
    authorization: `Bearer ${await tokenFor(entry)}`,
    'content-type': type,
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
  }
  const response = await fetch(`${api.baseUrl}${path}`, { method: 'POST', headers, body })
  await response.arrayBuffer()
  return response.status
}

const resident = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${api.process.pid}/status`, 'utf8'))?.[1]) / 1024

/** Another tenant's calls, one after the other, until it is told to stop. Their times in milliseconds. */
async function otherTenant(stop: AbortSignal): Promise<number[]> {
  const token = await api.client('admin-automation', 'globex')
  const times: number[] = []
  while (!stop.aborted) {
    const began = performance.now()
    const { status } = await api.query(token, 'session.me')
    times.push(performance.now() - began)
    expect(status).toBe(200)
    await setTimeout(5)
  }
  return times.sort((a, b) => a - b)
}

test('each is answered below 500, and refused with its status, while another tenant gets its answers', async (context) => {
  const before = resident()
  const done = new AbortController()
  const other = otherTenant(done.signal)
  const failures: string[] = []
  let count = 0
  const check = (name: string, status: number, refused?: number) => {
    count += 1
    // A caller without the permission gets 403 before its body is looked at.
    const fine = refused === undefined ? status < 500 : status === refused || status === 403
    if (!fine) failures.push(`${name}: ${status}`)
  }
  try {
    for (const { entry, body } of cases())
      check(`${addressOf(entry)}, ${body.name}`, await send(entry, body), body.refused)
    for (const { name, route, input } of heavyInputs)
      for (const entry of posts.filter(({ path }) => route.test(path)))
        check(
          `${addressOf(entry)}, ${name}`,
          await send(entry, {
            name,
            type: 'application/json',
            body: new Uint8Array(Buffer.from(JSON.stringify(input))),
          }),
        )
  } finally {
    done.abort()
  }
  const times = await other
  expect(failures).toEqual([])
  expect(api.logged()).toBe('')
  countCases(context, count)
  if (!full) return
  expect(times[Math.floor(times.length * 0.99)]).toBeLessThanOrEqual(100)
  // What is not used any more is collected while other requests arrive.
  const minute = new AbortController()
  const idle = otherTenant(minute.signal)
  await setTimeout(60_000)
  minute.abort()
  await idle
  expect(resident() - before).toBeLessThanOrEqual(150)
}, 1_800_000)

test('the decoders never count further than one beyond a limit', async (context) => {
  let refused = 0
  for (const { type, body, encoding } of telemetryBodies()) {
    const bytes = encoding === 'gzip' ? gunzipSync(body) : body
    if (bytes.length > wireLimits.telemetry.bytes) continue
    const allowance = new Allowance()
    const decode = type === 'application/json' ? decodeJson : decodeProtobuf
    await decode(bytes, allowance).catch((error: unknown) => {
      if (!(error instanceof OtlpTooMuch || error instanceof OtlpError)) throw error
      refused += 1
    })
    const { spans, values, groups } = allowance.counts
    expect(spans).toBeLessThanOrEqual(wireLimits.telemetry.spans + 1)
    expect(values).toBeLessThanOrEqual(wireLimits.telemetry.values + 1)
    expect(groups).toBeLessThanOrEqual(wireLimits.telemetry.groups + 1)
  }
  expect(refused).toBeGreaterThan(8)
  countCases(context, refused)
})
