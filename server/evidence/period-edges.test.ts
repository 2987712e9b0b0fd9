import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mostWaitMs } from '#lib/verify/log.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import { list } from '#server/audit/list.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { bindRows } from '#server/kernel/bound/bind.ts'
import { execute } from '#server/kernel/operation.ts'
import { insertActivity } from '#server/testing/activity.ts'
import { aroundNow, auditorOf, exportRuntime, fetchArchive, parseLines } from '#server/testing/exports.ts'
import { readArchiveFiles } from '#server/testing/extract.ts'
import { type ArchiveFiles, packArchive, resealed } from '#server/testing/forged-archive.ts'
import { relogged } from '#server/testing/forged-log.ts'
import { asOwner } from '#server/testing/owner.ts'
import { setRecordTimes } from '#server/testing/past-day.ts'
import type { TestTenant } from '#server/testing/tenant.ts'

// A record has the time at which its transaction was done, and its day and place once the transactions before it are written: it may be in
// the log of the day after, and behind a record with a later time.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
  bindRows()
})
afterAll(() => runtime.close())

const today = () => new Date().toISOString().slice(0, 10)
const midnight = () => new Date(today())

const recordsOf = (tenant: TestTenant) =>
  runtime.database.inTenant(tenant.id, (tx) =>
    tx
      .selectFrom('auditRecords')
      .select(['auditId', 'date', 'seq', 'createdAt'])
      .where('tenantId', '=', tenant.id)
      .orderBy('date')
      .orderBy('seq')
      .execute(),
  )

let archives = 0
/** Exports a period; `seqs` are the places of the day's records in the archive. */
async function exported(tenant: TestTenant, auditor: Caller, period: object, date: string) {
  const job = await runtime.make(tenant, auditor, { ...aroundNow(), ...period })
  expect(job).toMatchObject({ status: 'completed', error: null })
  const bytes = await fetchArchive(auditor, job.exportId)
  archives += 1
  const { top } = await runtime.extract(`edges-${archives}`, bytes)
  const files = await readArchiveFiles(top)
  const seqs = parseLines(String(files.get(`data/audit/${date}.ndjson`))).map(({ leaf }) => leaf.seq)
  return { seqs, files, exportId: job.exportId, report: await verifyArchive(new Blob([new Uint8Array(bytes)])) }
}

describe.each([
  ['before rows are bound', false],
  ['with bound rows', true],
] as const)('a record that waited across midnight, %s', (_name, bound) => {
  let tenant: TestTenant
  let auditor: Caller
  let auditId: string
  let yesterday: string
  const rows = bound ? 'holds' : 'not checked'
  beforeAll(async () => {
    tenant = await runtime.tenant()
    auditor = await auditorOf(tenant)
    if (bound) await runtime.bindRows(tenant)
    const before = new Date(midnight().getTime() - 1)
    yesterday = before.toISOString().slice(0, 10)
    await asOwner(runtime, 'insert into audit_days (tenant_id, date, size) values ($1, $2, 0)', [tenant.id, yesterday])
    auditId = (await recordsOf(tenant))[0]?.auditId ?? ''
    await setRecordTimes(runtime, tenant, new Map([[auditId, before]]))
  })

  test('is in the archive of the day of its log, which has all records', async () => {
    const { seqs, report } = await exported(tenant, auditor, {}, today())
    expect(seqs.slice(0, 2)).toEqual([0, 1])
    expect(report.verdicts).toMatchObject({ integrity: 'holds', log: rows, completeness: rows })
  })

  test('is not in the archive of the day before', async () => {
    const period = { startDate: `${yesterday}T00:00:00Z`, endDate: `${today()}T00:00:00Z` }
    const { seqs, report } = await exported(tenant, auditor, period, yesterday)
    expect(seqs).toEqual([])
    expect(report.verdicts).toMatchObject({ integrity: 'holds', log: 'holds', completeness: rows })
  })

  test('is in the list of the day of its log, and not in that of the day before', async () => {
    const listed = async (from: string, to?: string) =>
      (await execute(list, auditor, { from, to, limit: 200 }, { name: 'audit.list' })).items.some(
        (record) => record.auditId === auditId,
      )
    expect(await listed(`${today()}T00:00:00Z`)).toBe(true)
    expect(await listed(`${yesterday}T00:00:00Z`, `${today()}T00:00:00Z`)).toBe(false)
    expect(await listed(`${yesterday}T12:00:00Z`)).toBe(true)
    expect(await listed(`${today()}T00:00:00.001Z`)).toBe(false)
  })
})

test('a row that is older than the period is in the archive for a record that waited across midnight', async () => {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  const { decisionId } = await insertActivity(runtime, tenant, auditor.principal.memberId, { amount: 137 })
  const auditId = await runtime.database.inTenant(tenant.id, (tx) =>
    appendAudit(tx, tenant, {
      actor: systemActor,
      action: 'policy.evaluated',
      resource: { type: 'policy_decision', id: decisionId },
    }),
  )
  const done = new Date(midnight().getTime() - mostWaitMs)
  await asOwner(runtime, 'update policy_decisions set created_at = $2 where id = $1', [
    decisionId,
    new Date(done.getTime() - 50_000),
  ])
  await setRecordTimes(runtime, tenant, new Map([[auditId, done]]))
  const { files } = await exported(tenant, auditor, {}, today())
  expect(parseLines(String(files.get('data/decisions.ndjson'))).map(({ id }) => id)).toEqual([decisionId])
})

describe('a period that begins or ends between records whose times are out of order', () => {
  let tenant: TestTenant
  let auditor: Caller
  let edge: Date
  /** Places of the records: one millisecond after the edge, one before it, and two after it. */
  let [after, before, later]: number[] = []
  beforeAll(async () => {
    tenant = await runtime.tenant()
    auditor = await auditorOf(tenant)
    await runtime.bindRows(tenant)
    const older = (await recordsOf(tenant)).length
    for (let count = 0; count < 3; count++)
      await runtime.database.inTenant(tenant.id, (tx) =>
        appendAudit(tx, tenant, { actor: systemActor, action: 'test.noted', resource: { type: 'test', id: 'x' } }),
      )
    const records = await recordsOf(tenant)
    edge = records[older]?.createdAt ?? new Date()
    ;[after, before, later] = [older, older + 1, older + 2]
    const offsets = records.map(({ auditId }, place): [string, Date] => {
      const offset = [1, -1, 2][place - older] ?? -2
      return [auditId, new Date(edge.getTime() + offset)]
    })
    await setRecordTimes(runtime, tenant, new Map(offsets))
  })

  test('at its beginning: from the first record in it on', async () => {
    const { seqs, report } = await exported(tenant, auditor, { startDate: edge.toISOString() }, today())
    expect(seqs.slice(0, 3)).toEqual([after, before, later])
    expect(report.verdicts).toMatchObject({ integrity: 'holds', log: 'holds', completeness: 'not checked' })
  })

  test('at its end: up to the last record in it', async () => {
    const { seqs, report } = await exported(tenant, auditor, { endDate: edge.toISOString() }, today())
    expect(seqs).toEqual(Array.from({ length: (before ?? 0) + 1 }, (_, seq) => seq))
    expect(report.verdicts).toMatchObject({ integrity: 'holds', log: 'holds', completeness: 'not checked' })
  })

  test('at both: the records of the period', async () => {
    const period = { startDate: edge.toISOString(), endDate: new Date(edge.getTime() + 2).toISOString() }
    expect((await exported(tenant, auditor, period, today())).seqs).toEqual([after])
  })
})

describe('the verifier', () => {
  let files: ArchiveFiles
  let folder: string
  beforeAll(async () => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const made = await exported(tenant, auditor, {}, today())
    ;({ files } = made)
    folder = `evidence-room-${made.exportId}`
  })

  /** What the check of the day says of the archive with these times of its first records, and this period. */
  async function checked(times: readonly number[], period?: { start: number; end: number }): Promise<string> {
    const logged = relogged(files, today(), (records) =>
      records.map((record, place) => {
        const at = times[place]
        return at === undefined ? record : { ...record, at: new Date(at).toISOString() }
      }),
    )
    const [start, end] = [period?.start, period?.end].map((time) => time && new Date(time).toISOString())
    const changed =
      period === undefined
        ? logged
        : resealed(logged, {
            manifest: (one) => ({ ...one, period: { start, end }, requestedPeriod: { start, end } }) as typeof one,
          })
    const { checks } = await verifyArchive(new Blob([new Uint8Array(await packArchive(folder, changed))]))
    const check = checks.find(({ name }) => name === `Log of ${today()}`)
    return check?.state === 'holds' ? 'holds' : (check?.detail ?? '')
  }
  const outside = (seq: number) => `Record ${seq} is outside the archive’s period.`
  const start = midnight().getTime()
  const noon = start + 12 * 3600_000

  test('accepts a record that waited for up to ten minutes before midnight', async () => {
    expect(await checked([start - mostWaitMs])).toBe('holds')
    expect(await checked([start, start - mostWaitMs])).toBe('holds')
    expect(await checked([start - mostWaitMs - 1])).toBe(outside(0))
    expect(await checked([start + 1, start - mostWaitMs - 1])).toBe(outside(1))
  })

  test('accepts times out of order within a day, but not at the beginning or the end of the archive’s records', async () => {
    const count = parseLines(String(files.get(`data/audit/${today()}.ndjson`))).length
    const from = (...times: number[]) =>
      checked([...times, ...Array(count - times.length).fill(noon + 1)], { start: noon, end: noon + 3600_000 })
    expect(await from(noon, noon - mostWaitMs)).toBe('holds')
    expect(await from(noon - 1, noon)).toBe(outside(0))
    expect(await from(noon, noon - mostWaitMs - 1)).toBe(outside(1))
    const to = (...times: number[]) =>
      checked([...Array(count - times.length).fill(noon - 2), ...times], { start, end: noon })
    expect(await to(noon + mostWaitMs - 1, noon - 1)).toBe('holds')
    expect(await to(noon - 1, noon)).toBe(outside(count - 1))
    expect(await to(noon + mostWaitMs, noon - 1)).toBe(outside(count - 2))
  })
})
