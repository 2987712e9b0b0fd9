import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { newId } from '#server/kernel/ids.ts'
import { exposeMeters } from '#server/kernel/observe/meters.ts'
import { testCertificate } from '#server/testing/fakes/certificate.ts'
import { startCollector, startSyslog } from '#server/testing/fakes/siem-receivers.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { sendRecords } from './send-records.ts'
import { type Sink, usualPatience } from './sink.ts'
import { loadSinks } from './sinks.ts'
import { startSiem } from './worker.ts'

// Receivers that are slow, or never end: they cost their own sink time, and nothing else.

let runtime: Awaited<ReturnType<typeof testRuntime>>
let syslog: Awaited<ReturnType<typeof startSyslog>>
let collector: Awaited<ReturnType<typeof startCollector>>
let folder: string
const opened: Sink[] = []
beforeAll(async () => {
  runtime = await testRuntime()
  folder = await mkdtemp(join(tmpdir(), 'countersign-slow-sinks-'))
  const certificate = await testCertificate()
  await writeFile(join(folder, 'ca.pem'), certificate.cert)
  syslog = await startSyslog(certificate)
  collector = await startCollector({ status: 200, body: { code: 0 } })
})
afterEach(async () => {
  syslog.behave(undefined)
  collector.recover()
  await Promise.all(opened.splice(0).map((sink) => sink.close()))
})
afterAll(async () => {
  await Promise.all([syslog.close(), collector.close()])
  await runtime.close()
  await rm(folder, { recursive: true })
})

const impatient = { ...usualPatience, wholeMs: 400, checkMs: 300 }
const kinds = ['syslog', 'hec', 'otlp'] as const
type Kind = (typeof kinds)[number]
async function open(kind: Kind, tenant: TestTenant, { names = [kind as string], patience = usualPatience } = {}) {
  const place = {
    syslog: { host: 'localhost', port: syslog.port, ca: join(folder, 'ca.pem') },
    hec: { url: collector.url, token: { env: 'SIEM_TOKEN' } },
    otlp: { url: `${collector.url}/v1/logs` },
  }[kind]
  const sinks = names.map((name) => ({ name, kind, tenants: [tenant.externalId], ...place }))
  const file = join(folder, 'siem.json')
  await writeFile(file, JSON.stringify({ sinks }))
  const config = loadConfig({ PORT: '3000', SIEM_SINKS: file, SIEM_TOKEN: 'a-token' })
  const loaded = await loadSinks(config, patience)
  opened.push(...loaded)
  return loaded
}
async function openOne(kind: Kind, tenant: TestTenant, patience = usualPatience): Promise<Sink> {
  const [only] = await open(kind, tenant, { patience })
  if (only === undefined) throw new Error('unreachable: one sink was opened')
  return only
}
/** Collectors answer byte by byte, and the receiver of syslog does not close. */
const neverEnd = () => {
  collector.behave(() => 'trickle')
  syslog.behave('silent')
}
const write = (tenant: TestTenant, count: number) =>
  runtime.database.inTenant(tenant.id, async (tx) => {
    for (let index = 0; index < count; index++)
      await appendAudit(tx, tenant, { actor: systemActor, action: 'test.many', resource: { type: 'x', id: newId() } })
  })

describe.each(kinds)('a receiver of the kind %s that never ends its answer', (kind) => {
  const late = kind === 'syslog' ? /did not close the connection within/ : /did not answer: not completely within/

  test('fails the batch and the check after the time for the whole call, and gets the records again', async () => {
    const tenant = await testTenant(runtime)
    const sink = await openOne(kind, tenant, impatient)
    neverEnd()
    await expect(sendRecords(tenant, sink)).rejects.toThrow(late)
    await expect(sendRecords(tenant, sink)).rejects.toThrow(/0\.4 seconds/)
    await expect(sink.check()).rejects.toThrow(/0\.3 seconds/)
    syslog.behave(undefined)
    collector.recover()
    expect(await sendRecords(tenant, sink)).toBeGreaterThan(0)
    expect(await sendRecords(tenant, sink)).toBe(0)
  })

  test('does not keep the server from stopping, and that is not counted as a failure', async () => {
    const tenant = await testTenant(runtime)
    const name = `stopped-${kind}`
    const [before, calls] = [syslog.names.length, collector.calls.length]
    neverEnd()
    const siem = startSiem(await open(kind, tenant, { names: [name] }))
    const isCalled = async () => (syslog.names.length > before || collector.calls.length > calls ? true : undefined)
    await until(isCalled, 'the receiver was called')
    const at = performance.now()
    await siem.close()
    expect(performance.now() - at).toBeLessThan(5_000)
    expect(await exposeMeters()).not.toContain(`sink="${name}",result="failed"`)
  })
})

test('while a sink is waited for, no snapshot holds up vacuum, and all sinks together take no connection of exports', async () => {
  const tenant = await testTenant(runtime)
  const names = Array.from({ length: 20 }, (_, index) => `sink-${index}`)
  const sinks = await open('hec', tenant, { names })
  const calls = collector.calls.length
  collector.behave(() => 'hold')
  const sending = Promise.allSettled(sinks.map((sink) => sendRecords(tenant, sink)))
  const allWait = async () => (collector.calls.length === calls + names.length ? true : undefined)
  await until(allWait, 'all sinks were called')
  const owner = await connectAsOwner(runtime)
  const { rows } = await owner.query(
    `select count(*)::int as open, count(backend_xmin)::int as snapshots from pg_stat_activity
     where datname = current_database() and state = 'idle in transaction'`,
  )
  await owner.end()
  expect(rows).toEqual([{ open: names.length, snapshots: 0 }])
  await runtime.database.inSnapshot(tenant.id, 'new', (tx) => tx.selectFrom('tenants').select('id').execute())
  await Promise.all(sinks.map((one) => one.close()))
  expect((await sending).every(({ status }) => status === 'rejected')).toBe(true)
})

test('a receiver of syslog that reads slowly is waited for, and has everything when the batch counts as accepted', async () => {
  const tenant = await testTenant(runtime)
  await write(tenant, 95)
  const sink = await openOne('syslog', tenant)
  syslog.behave('slow')
  const before = syslog.messages.length
  const count = await sendRecords(tenant, sink)
  expect(count).toBeGreaterThan(90)
  expect(syslog.messages.length - before).toBe(count)
  expect(syslog.broken).toEqual([])
})
