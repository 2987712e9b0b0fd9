// Longer than other files: one runtime and three receivers serve every case.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#lib/json.ts'
import { get } from '#server/audit/get.ts'
import { today } from '#server/audit/store.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { newId } from '#server/kernel/ids.ts'
import { exposeMeters } from '#server/kernel/observe/meters.ts'
import { execute } from '#server/kernel/operation.ts'
import { create as createSecret } from '#server/secrets/create.ts'
import { testCertificate } from '#server/testing/fakes/certificate.ts'
import { startCollector, startSyslog } from '#server/testing/fakes/siem-receivers.ts'
import { asOwner } from '#server/testing/owner.ts'
import { moveToPast } from '#server/testing/past-day.ts'
import { testEnvironment } from '#server/testing/processes/environment.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { batchSize, sendRecords } from './send-records.ts'
import type { Sink } from './sink.ts'
import { loadSinks } from './sinks.ts'
import { startSiem } from './worker.ts'

const masterKey = randomBytes(32).toString('base64')
const token = 'a-token-that-no-log-may-show'
let runtime: Awaited<ReturnType<typeof testRuntime>>
let certificate: Awaited<ReturnType<typeof testCertificate>>
let syslog: Awaited<ReturnType<typeof startSyslog>>
let splunk: Awaited<ReturnType<typeof startCollector>>
let collector: Awaited<ReturnType<typeof startCollector>>
let folder: string
let file: string
let date: string
const opened: Sink[] = []
beforeAll(async () => {
  runtime = await testRuntime({ environment: { MASTER_KEY: masterKey } })
  folder = await mkdtemp(join(tmpdir(), 'countersign-siem-'))
  file = join(folder, 'siem.json')
  certificate = await testCertificate()
  await writeFile(join(folder, 'ca.pem'), certificate.cert)
  syslog = await startSyslog(certificate)
  splunk = await startCollector({ status: 200, body: { text: 'Success', code: 0 } })
  collector = await startCollector({ status: 200, body: {} })
  date = await runtime.database.inDirectory(today)
})
afterEach(async () => {
  syslog.behave(undefined)
  splunk.recover()
  collector.recover()
  await Promise.all(opened.splice(0).map((sink) => sink.close()))
})
afterAll(async () => {
  await Promise.all([syslog.close(), splunk.close(), collector.close()])
  await runtime.close()
  await rm(folder, { recursive: true })
})

const kinds = ['syslog', 'hec', 'otlp'] as const
type Kind = (typeof kinds)[number]
const places = (): Record<Kind, object> => ({
  syslog: { host: 'localhost', port: syslog.port, ca: join(folder, 'ca.pem') },
  hec: { url: splunk.url, token: { env: 'SIEM_TOKEN' } },
  otlp: { url: `${collector.url}/v1/logs`, headers: { authorization: { env: 'SIEM_TOKEN' } } },
})
const sinkOf = (kind: Kind, tenants: readonly TestTenant[], more: object = {}) => ({
  name: kind,
  kind,
  tenants: tenants.map(({ externalId }) => externalId),
  ...places()[kind],
  ...more,
})
async function open(...sinks: object[]): Promise<Sink[]> {
  await writeFile(file, JSON.stringify({ sinks }))
  const loaded = await loadSinks(loadConfig({ PORT: '3000', SIEM_SINKS: file, SIEM_TOKEN: token }))
  opened.push(...loaded)
  return loaded
}
async function openOne(sink: object): Promise<Sink> {
  const [only] = await open(sink)
  if (only === undefined) throw new Error('unreachable: one sink was opened')
  return only
}

async function write(tenant: TestTenant, action: string, count = 1): Promise<void> {
  await runtime.database.inTenant(tenant.id, async (tx) => {
    for (let index = 0; index < count; index++)
      await appendAudit(tx, tenant, { actor: systemActor, action, resource: { type: 'x', id: newId() } })
  })
}
/** The tenant's records in the order of the log. */
const stored = async (tenant: TestTenant) =>
  await runtime.database.inTenant(tenant.id, (tx) =>
    tx
      .selectFrom('auditRecords')
      .select(['auditId', 'type', 'date', 'seq'])
      .where('tenantId', '=', tenant.id)
      .orderBy('date')
      .orderBy('seq')
      .execute(),
  )
const idsOf = async (tenant: TestTenant) => (await stored(tenant)).map(({ auditId }) => auditId)

type Event = JsonObject & { metadata: { uid: string; tenant_uid: string }; unmapped: JsonObject }
const inSyslog = (): Event[] => syslog.messages.map((message) => JSON.parse(message.slice(message.indexOf('{'))))
const inSplunk = (): Event[] =>
  splunk.calls.flatMap(({ body }) =>
    body
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).event),
  )
type Value = { stringValue?: string; kvlistValue?: { values: Pair[] } } & Record<string, unknown>
type Pair = { key: string; value: Value }
type LogRecord = { body: Value; attributes: Pair[]; eventName: string }
const inCollector = (): LogRecord[] =>
  collector.calls.flatMap(({ body }) => JSON.parse(body).resourceLogs[0].scopeLogs[0].logRecords)
const attribute = (record: LogRecord, name: string) =>
  record.attributes.find(({ key }) => key === name)?.value.stringValue
const arrived: Record<Kind, (tenant: TestTenant) => string[]> = {
  syslog: ({ externalId }) => uidsOf(inSyslog(), externalId),
  hec: ({ externalId }) => uidsOf(inSplunk(), externalId),
  otlp: ({ externalId }) =>
    inCollector()
      .filter((record) => attribute(record, 'countersign.tenant') === externalId)
      .map((record) => attribute(record, 'countersign.audit.id') ?? ''),
}
const uidsOf = (events: Event[], externalId: string) =>
  events.filter(({ metadata }) => metadata.tenant_uid === externalId).map(({ metadata }) => metadata.uid)

describe.each(kinds)('a sink of the kind %s', (kind) => {
  test('gets each record once, in the order of the log, and continues where it was', async () => {
    const tenant = await testTenant(runtime)
    await write(tenant, 'test.many', batchSize + 5)
    const sink = await openOne(sinkOf(kind, [tenant]))
    const total = (await idsOf(tenant)).length
    expect(await sendRecords(tenant, sink)).toBe(batchSize)
    expect(await sendRecords(tenant, sink)).toBe(total - batchSize)
    expect(await sendRecords(tenant, sink)).toBe(0)
    await write(tenant, 'test.later')
    const again = await openOne(sinkOf(kind, [tenant]))
    expect(await sendRecords(tenant, again)).toBe(1)
    expect(arrived[kind](tenant)).toEqual(await idsOf(tenant))
    expect(syslog.broken).toEqual([])
  })

  test('accepts a check that sends no record', async () => {
    const tenant = await testTenant(runtime)
    const sink = await openOne(sinkOf(kind, [tenant]))
    if (kind === 'hec') splunk.behave(() => ({ status: 400, body: { text: 'No data', code: 5 } }))
    await sink.check()
    expect(arrived[kind](tenant)).toEqual([])
  })
})

describe('what a sink did not accept is sent again:', () => {
  type Case = [string, Kind, () => void, RegExp]
  test.each<Case>([
    ['a reset', 'syslog', () => syslog.behave('reset'), /localhost:\d+: /],
    ['a status of the collector', 'hec', () => splunk.behave(() => ({ status: 503, body: {} })), /responded with 503/],
    [
      'a code of the collector in spite of its status',
      'hec',
      () => splunk.behave(() => ({ status: 200, body: { text: 'Server is busy', code: 9 } })),
      /responded with 200: .*Server is busy/,
    ],
    ['an answer that did not arrive', 'hec', () => splunk.behave(() => 'drop'), /127\.0\.0\.1:\d+ did not answer/],
    ['a status', 'otlp', () => collector.behave(() => ({ status: 429, body: {} })), /responded with 429/],
    [
      'records that were rejected',
      'otlp',
      () => collector.behave(() => ({ status: 200, body: { partialSuccess: { rejectedLogRecords: '1' } } })),
      /responded with 200: .*rejectedLogRecords/,
    ],
  ])('%s (%s)', async (_name, kind, fail, reason) => {
    const tenant = await testTenant(runtime)
    const sink = await openOne(sinkOf(kind, [tenant]))
    fail()
    await expect(sendRecords(tenant, sink)).rejects.toThrow(reason)
    syslog.behave(undefined)
    splunk.recover()
    collector.recover()
    await write(tenant, 'test.later')
    const ids = await idsOf(tenant)
    expect(await sendRecords(tenant, sink)).toBe(ids.length)
    expect(arrived[kind](tenant).slice(-ids.length)).toEqual(ids)
  })

  test('a certificate that the authority in the file did not sign gets nothing', async () => {
    const tenant = await testTenant(runtime)
    await writeFile(join(folder, 'other.pem'), (await testCertificate()).cert)
    const sink = await openOne(sinkOf('syslog', [tenant], { ca: join(folder, 'other.pem') }))
    await expect(sendRecords(tenant, sink)).rejects.toThrow(/certificate|self/i)
    await expect(sink.check()).rejects.toThrow(/certificate|self/i)
    expect(arrived.syslog(tenant)).toEqual([])
  })

  test('the reason shows no secret, even if the receiver repeats it', async () => {
    const tenant = await testTenant(runtime)
    const sink = await openOne(sinkOf('hec', [tenant]))
    splunk.behave(({ authorization }) => ({ status: 403, body: { text: `Not a valid token: ${authorization}` } }))
    const refused = await sendRecords(tenant, sink).catch(String)
    expect(refused).toContain('Not a valid token: Splunk ***')
    expect(refused).not.toContain(token)
  })

  test('kill -9 between the sending and the position: the records arrive twice, and none is lost', async () => {
    const tenant = await testTenant(runtime)
    await write(tenant, 'test.killed', 3)
    const sink = await openOne(sinkOf('hec', [tenant]))
    splunk.behave(() => 'hold')
    const before = splunk.calls.length
    const child = spawn(process.execPath, [join(import.meta.dirname, '../testing/processes/siem-process.ts')], {
      env: {
        ...testEnvironment,
        PORT: '3000',
        APP_URL: runtime.database.url,
        DATA_DIR: runtime.config.dataDir,
        MASTER_KEY: masterKey,
        SIEM_SINKS: file,
        SIEM_TOKEN: token,
        TENANT: tenant.id,
        EXTERNAL_ID: tenant.externalId,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const ended = once(child, 'exit')
    await until(async () => (splunk.calls.length > before ? true : undefined), 'the records arrived')
    // While it waits for the answer, no other process sends.
    expect(await sendRecords(tenant, sink)).toBeUndefined()
    child.kill('SIGKILL')
    await ended
    splunk.recover()
    const ids = await idsOf(tenant)
    const count = await until(
      async () => await sendRecords(tenant, sink),
      'the lock of the killed process was released',
    )
    expect(count).toBe(ids.length)
    expect(arrived.hec(tenant)).toEqual([...ids, ...ids])
  })
})

test('of a batch that was accepted in part, each other record is sent again singly, and the refused one ever less often', async () => {
  const tenant = await testTenant(runtime)
  await write(tenant, 'test.before', 2)
  await write(tenant, 'test.refused')
  await write(tenant, 'test.after', 2)
  const all = await stored(tenant)
  const refused = all.findIndex(({ type }) => type === 'test.refused')
  const times: number[] = []
  collector.behave(({ body }) => {
    if (!body.includes('test.refused')) return { status: 200, body: {} }
    times.push(performance.now())
    return { status: 200, body: { partialSuccess: { rejectedLogRecords: '1', errorMessage: 'Refused.' } } }
  })
  const siem = startSiem(await open(sinkOf('otlp', [tenant])), { roundMs: 20, pauseMs: 100 })
  try {
    await until(async () => (times.length === 5 ? true : undefined), 'the refused record was sent five times')
    const ids = all.map(({ auditId }) => auditId)
    // The batch, the records before the refused one singly, and that one four times.
    const again = Array.from({ length: 4 }, () => ids[refused])
    expect(arrived.otlp(tenant)).toEqual([...ids, ...ids.slice(0, refused), ...again])
    const [, first = 0, second = 0, third = 0, fourth = 0] = times
    expect(second - first).toBeGreaterThanOrEqual(100)
    expect(third - second).toBeGreaterThanOrEqual(200)
    expect(fourth - third).toBeGreaterThanOrEqual(400)
    collector.recover()
    const rest = ids.slice(refused)
    const isThere = async () => (arrived.otlp(tenant).at(-1) === ids.at(-1) ? true : undefined)
    await until(isThere, 'the record was accepted, and those after it')
    expect(arrived.otlp(tenant).slice(-rest.length)).toEqual(rest)
    expect(arrived.otlp(tenant).length).toBe(ids.length + refused + 4 + rest.length)
  } finally {
    await siem.close()
  }
})

test('a receiver of syslog learns by which name it is called, unless that is an address', async () => {
  const tenant = await testTenant(runtime)
  const before = syslog.names.length
  for (const host of ['localhost', '127.0.0.1']) await (await openOne(sinkOf('syslog', [tenant], { host }))).check()
  expect(syslog.names.slice(before)).toEqual(['localhost', undefined])
})

describe('a record', () => {
  test('is what audit.get returns: a value that is masked there does not leave the server', async () => {
    const tenant = await testTenant(runtime)
    const admin = await tenant.as('ada', { roles: ['tenant_admin', 'auditor'] })
    const value = 'sk-live-canary-of-the-sink'
    await execute(createSecret, admin, { name: 'model', value }, { name: 'secrets.create' })
    const [sink] = await open(sinkOf('hec', [tenant]), sinkOf('otlp', [tenant]))
    if (sink === undefined) throw new Error('unreachable: two sinks were opened')
    for (const each of opened) await sendRecords(tenant, each)
    const events = inSplunk().filter(({ metadata }) => metadata.tenant_uid === tenant.externalId)
    const logs = inCollector().filter((one) => attribute(one, 'countersign.tenant') === tenant.externalId)
    expect(events.length).toBeGreaterThan(1)
    for (const event of events) {
      const { record, digest } = await execute(get, admin, { auditId: event.metadata.uid }, { name: 'audit.get' })
      const { digest: sent, ...unmapped } = event.unmapped
      expect(sent).toBe(digest)
      const { action, actor, at, auditId, resource, reason, requestId, ...rest } = record as JsonObject
      expect(unmapped).toEqual(rest)
      expect(event).toMatchObject({
        time: Date.parse(String(at)),
        metadata: { uid: auditId, event_code: action },
        actor: { user: { uid: (actor as JsonObject).id, name: (actor as JsonObject).name } },
        entity: { uid: (resource as JsonObject).id, type: (resource as JsonObject).type },
      })
      expect([event.comment, (event.metadata as JsonObject).correlation_uid]).toEqual([reason, requestId])
      const log = logs.find((one) => attribute(one, 'countersign.audit.id') === auditId)
      expect(log && plain(log.body)).toEqual(record)
    }
    for (const { body } of [...splunk.calls, ...collector.calls]) expect(body).not.toContain(value)
  })

  test('goes to the sinks of its tenant only', async () => {
    const [one, other] = [await testTenant(runtime), await testTenant(runtime)]
    const calls = collector.calls.length
    const sinks = await open(sinkOf('hec', [one]), sinkOf('otlp', [other]))
    const siem = startSiem(sinks)
    const complete = async (kind: Kind, tenant: TestTenant) =>
      arrived[kind](tenant).length === (await stored(tenant)).length ? true : undefined
    await until(() => complete('hec', one), 'the records of the first tenant arrived')
    await until(() => complete('otlp', other), 'the records of the second tenant arrived')
    await siem.close()
    expect([arrived.hec(other), arrived.otlp(one)]).toEqual([[], []])
    expect(collector.calls.slice(calls).every(({ body }) => !body.includes(one.externalId))).toBe(true)
    expect(collector.calls.slice(calls).every(({ authorization }) => authorization === token)).toBe(true)
  })
})

test('a tenant whose position can’t be stored does not keep the others waiting', async () => {
  // On both sides of it, because tenants are served one after the other.
  const tenants = [await testTenant(runtime), await testTenant(runtime), await testTenant(runtime)] as const
  const [before, broken, after] = tenants
  await asOwner(
    runtime,
    `create function refuse_position() returns trigger language plpgsql as $$
      begin raise exception 'the disk of this row is broken'; end $$;
     create trigger broken before insert or update on siem_positions for each row when (new.tenant_id = '${broken.id}')
     execute function refuse_position()`,
  )
  const siem = startSiem(await open(sinkOf('hec', tenants)))
  try {
    for (const tenant of [before, after])
      await until(
        async () => (arrived.hec(tenant).length === (await stored(tenant)).length ? true : undefined),
        'the records of another tenant arrived',
      )
  } finally {
    await siem.close()
    await asOwner(runtime, 'drop trigger broken on siem_positions')
  }
})

/** A value of OTLP as the JSON that it was. */
function plain(value: Value): unknown {
  const { kvlistValue, arrayValue, intValue, ...rest } = value as Value & { arrayValue?: { values: Value[] } }
  if (kvlistValue !== undefined)
    return Object.fromEntries(kvlistValue.values.map((pair) => [pair.key, plain(pair.value)]))
  if (arrayValue !== undefined) return arrayValue.values.map(plain)
  if (intValue !== undefined) return Number(intValue)
  return Object.values(rest)[0] ?? null
}

describe('over midnight', () => {
  const dayOf = (days: number) => new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)

  test('records that were written to the day before arrive, after the next day has begun', async () => {
    const tenant = await testTenant(runtime)
    const sink = await openOne(sinkOf('hec', [tenant]))
    await write(tenant, 'test.yesterday', 3)
    await moveToPast(runtime, tenant, dayOf(-1))
    await write(tenant, 'test.today', 2)
    const first = await idsOf(tenant)
    expect(await sendRecords(tenant, sink)).toBe(first.length)
    // As a transaction that took its place in the log before midnight, and committed after it.
    await write(tenant, 'test.late')
    const late = (await stored(tenant)).at(-1)
    const seq = (await stored(tenant)).filter((row) => row.date === dayOf(-1)).length
    await asOwner(runtime, 'update audit_records set date = $2, seq = $3 where audit_id = $1', [
      late?.auditId,
      dayOf(-1),
      seq,
    ])
    expect(await sendRecords(tenant, sink)).toBe(1)
    expect(arrived.hec(tenant)).toEqual([...first, late?.auditId])
    expect(await sendRecords(tenant, sink)).toBe(0)
  })

  test('a new sink starts with the first record, or with the day in the file', async () => {
    const tenant = await testTenant(runtime)
    await write(tenant, 'test.yesterday', 2)
    await moveToPast(runtime, tenant, dayOf(-1))
    await write(tenant, 'test.today', 2)
    const all = await stored(tenant)
    const [later, whole, next] = await open(
      sinkOf('hec', [tenant], { name: 'later', from: date }),
      sinkOf('hec', [tenant], { name: 'whole' }),
      sinkOf('hec', [tenant], { name: 'next', from: dayOf(1) }),
    )
    if (later === undefined || whole === undefined || next === undefined) throw new Error('unreachable: three sinks')
    const ofToday = all.filter((row) => row.date === date)
    expect(ofToday.length).toBeLessThan(all.length)
    expect(await sendRecords(tenant, later)).toBe(ofToday.length)
    expect(arrived.hec(tenant)).toEqual(ofToday.map(({ auditId }) => auditId))
    expect(await sendRecords(tenant, whole)).toBe(all.length)
    expect(await sendRecords(tenant, next)).toBe(0)
  })
})

test('the metrics show how old the oldest record is that a sink lacks, and the log says why', async () => {
  const tenant = await testTenant(runtime)
  const lag = async () => {
    const line = (await exposeMeters())
      .split('\n')
      .find((one) => one.startsWith('countersign_siem_lag_seconds_all{sink="hec"}'))
    return line === undefined ? undefined : Number(line.split(' ')[1])
  }
  const failed = async () =>
    (await exposeMeters()).includes('countersign_siem_batches_total{sink="hec",result="failed"}')
  splunk.behave(() => ({ status: 503, body: {} }))
  const siem = startSiem(await open(sinkOf('hec', [tenant])))
  await until(async () => ((await failed()) && (await lag()) !== 0 ? true : undefined), 'a failure was counted')
  expect(await lag()).toBeGreaterThan(0)
  splunk.recover()
  await until(async () => ((await lag()) === 0 ? true : undefined), 'the records were sent')
  expect(arrived.hec(tenant).slice(-(await idsOf(tenant)).length)).toEqual(await idsOf(tenant))
  await siem.close()
  expect(await lag()).toBeUndefined()
})
