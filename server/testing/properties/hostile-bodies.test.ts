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
import { fileBodies, type HostileBody, heavyInputs, jsonBodies, telemetryBodies } from '#server/testing/fuzz/bodies.ts'
import { addressOf, requestOf } from './call.ts'
import { countCases, sized } from './counts.ts'

// The largest bodies that are allowed, over every route that reads one, while another tenant works. Times are measured only by
// `npm run proof`: neighbours of this run would fail them.

const catalog = collectCatalog()
type Entry = (typeof catalog)[number]
const full = sized(true, false)
const posts = catalog.filter(({ method }) => method === 'POST')

const metricsToken = 'a-token-of-this-test'
let api: TestApi
beforeAll(async () => {
  api = await startApi({ LOG_LEVEL: 'error', METRICS_TOKEN: metricsToken })
}, 180_000)
afterAll(() => api.close())

const signals = { '/v1/traces': 'traces', '/v1/logs': 'logs', '/v1/metrics': 'metrics' } as const
const signalOf = ({ path }: Entry) => signals[path as keyof typeof signals]
const isFile = ({ path }: Entry) => path === '/v1/files'

type Case = { entry: Entry; body: HostileBody }

/** Every route that reads a body, with the bodies for it. In `npm test` the routes share the bodies of JSON and of telemetry. */
function cases(): Case[] {
  const json = jsonBodies()
  const signalsOf = Object.values(signals)
  const bodiesOf = (entry: Entry, turn: number) => {
    const signal = signalOf(entry)
    if (signal !== undefined) {
      const share = signalsOf.indexOf(signal)
      return telemetryBodies(signal).filter((_, index) => full || index % signalsOf.length === share)
    }
    if (isFile(entry)) return fileBodies()
    return full ? json : json.slice(turn % json.length, (turn % json.length) + 1)
  }
  const large = posts.flatMap((entry, turn) => bodiesOf(entry, turn).map((body): Case => ({ entry, body })))
  const heavy = heavyInputs.flatMap(({ name, route, input }) => {
    const body = { name, type: 'application/json', body: new Uint8Array(Buffer.from(JSON.stringify(input))) }
    return posts.filter(({ path }) => route.test(path)).map((entry): Case => ({ entry, body }))
  })
  return [...large, ...heavy]
}

async function tokenFor(entry: Entry): Promise<string> {
  const { path } = entry
  if (signalOf(entry) !== undefined) return await api.client('telemetry')
  return await (/agents|policies$|executions|files$/.test(path)
    ? api.client('ci-pipeline')
    : api.client('admin-automation'))
}

async function send(entry: Entry, { type, encoding, body, times }: HostileBody): Promise<number> {
  const { path } = requestOf(entry, {})
  const headers = {
    authorization: `Bearer ${await tokenFor(entry)}`,
    'content-type': type,
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
  }
  const sent = times === undefined ? { body } : { body: repeated(body, times), duplex: 'half' }
  const response = await fetch(`${api.baseUrl}${path}`, { method: 'POST', headers, ...sent })
  await response.arrayBuffer()
  return response.status
}

/** A stream that contains `piece` as often, until the server stops reading. */
function repeated(piece: Uint8Array<ArrayBuffer>, times: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = times
  return new ReadableStream({
    pull(controller) {
      if (left === 0) controller.close()
      else controller.enqueue(piece)
      left -= 1
    },
  })
}

/** A caller without the permission gets 403, whatever its body contains. */
function isFine({ refused, answered }: HostileBody, status: number): boolean {
  if (answered !== undefined) return status === answered
  return refused === undefined ? status < 500 : status === refused || status === 403
}

const resident = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${api.process.pid}/status`, 'utf8'))?.[1]) / 1024

type Timed = { ms: number; during: string }

/** Another tenant's calls, one after the other, until the signal. Their times, the longest first. */
async function otherTenant(stop: AbortSignal, current: () => string): Promise<Timed[]> {
  const token = await api.client('admin-automation', 'globex')
  const times: Timed[] = []
  while (!stop.aborted) {
    const during = current()
    const began = performance.now()
    const { status } = await api.query(token, 'session.me')
    times.push({ ms: performance.now() - began, during })
    expect(status).toBe(200)
    await setTimeout(5)
  }
  return times.sort((a, b) => b.ms - a.ms)
}

/** How late the server's timers ran in the worst hundredth since the last reading, in milliseconds. */
async function lagMs(): Promise<number> {
  const response = await fetch(`${api.baseUrl}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  const [, seconds] = /^countersign_event_loop_lag_seconds\{quantile="p99"\} (\S+)$/m.exec(await response.text()) ?? []
  return Number(seconds) * 1000
}

test('each is answered below 500, and refused with its status, while another tenant gets its answers', async (context) => {
  // Created before: compressing them would delay the calls that are measured here.
  const all = cases()
  const before = resident()
  // Forgets how late they ran during the start.
  await lagMs()
  const done = new AbortController()
  let current = ''
  const other = otherTenant(done.signal, () => current)
  const failures: string[] = []
  try {
    for (const { entry, body } of all) {
      current = `${addressOf(entry)}, ${body.name}`
      const status = await send(entry, body)
      if (!isFine(body, status)) failures.push(`${current}: ${status}`)
    }
  } finally {
    done.abort()
  }
  const times = await other
  expect(failures).toEqual([])
  expect(api.logged()).toBe('')
  countCases(context, all.length)
  if (!full) return
  // The server measures itself: this process, which makes the bodies, and PostgreSQL need the same processors.
  expect.soft(await lagMs(), JSON.stringify(times.slice(0, 20))).toBeLessThanOrEqual(100)
  expect.soft(times[0]?.ms).toBeLessThanOrEqual(2000)
  // What is not used any more is collected while other requests arrive.
  const minute = new AbortController()
  const idle = otherTenant(minute.signal, () => 'after')
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
