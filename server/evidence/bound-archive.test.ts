import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFile } from '#lib/verify/programs/file.ts'
import type { Check } from '#lib/verify/report.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import { create } from '#server/agents/create.ts'
import { decide } from '#server/approvals/decide.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { bindRows } from '#server/kernel/bound/bind.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import { execute } from '#server/kernel/operation.ts'
import { insertActivity } from '#server/testing/activity.ts'
import { approverGroup, askForRefund } from '#server/testing/approval-request.ts'
import { aroundNow, askForExport, exportRuntime, fetchArchive, parseLines } from '#server/testing/exports.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import type { TestTenant } from '#server/testing/tenant.ts'
import { coverageOf } from './archive/coverage.ts'
import { claim } from './jobs/export-claim.ts'
import { withRowsAsOf } from './jobs/rows-as-of.ts'
import { makeInProcess } from './jobs/start-process.ts'

// Archives whose rows are bound to the log: what the service writes, and what it refuses to write.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
  onDecided('tool_call', () => Promise.resolve())
  await runtime.queue.work([expiry])
  bindRows()
})
afterAll(() => runtime.close())

const manifest = JSON.stringify({
  metadata: { name: 'sorter' },
  spec: { risk: { tier: 'low' }, runtime: { steps: [] } },
})

type Scene = { tenant: TestTenant; maria: Caller; pia: Caller; jonas: Caller; agentId: string; approvalId: string }

/** A tenant with older rows of every kind, which were adopted, and newer ones. */
async function scene(): Promise<Scene> {
  const tenant = await runtime.tenant()
  const maria = await tenant.as('maria', { roles: ['developer'] })
  const jonas = await tenant.as('jonas', { roles: ['approver'], groups: [approverGroup] })
  const pia = await tenant.as('pia', { roles: ['auditor', 'privacy_officer'] })
  await insertActivity(runtime, tenant, maria.principal.memberId, { amount: 137, mail: 'grace@example.com' })
  expect(await adoptTenant(tenant.id)).toBe(true)
  const { agentId } = await execute(create, maria, { yaml: manifest }, { name: 'agents.create' })
  const { approvalId } = await askForRefund(tenant, maria, {})
  await vote(jonas, approvalId)
  return { tenant, maria, pia, jonas, agentId, approvalId }
}

const vote = (caller: Caller, approvalId: string) =>
  execute(
    decide,
    caller,
    { approvalId, decision: 'approve', decisionAcknowledged: true, reason: 'It is due.' },
    { name: 'approvals.decide' },
  )

const justification = 'The supervisory authority asks for the conversations of case 4711.'
const raw = () => ({ ...aroundNow(), includeRawPayloads: true, justification })

async function archiveOf({ tenant, pia }: Scene, input?: object) {
  const job = await runtime.make(tenant, pia, input)
  expect(job.error).toBeNull()
  const bytes = await fetchArchive(pia, job.exportId)
  const { checks } = await verifyArchive(new Blob([new Uint8Array(bytes)]))
  const { text } = await runtime.extract(job.exportId, bytes)
  const rows = async (file: string) => parseLines(await text(`data/${file}.ndjson`))
  const found = (verdict: string, name: string): Check | undefined =>
    checks.find((check) => check.verdict === verdict && check.name === name)
  return { checks, text, rows, found }
}

/** Changes rows as an administrator who bypasses the triggers. */
async function bySql(statement: string, values: unknown[]): Promise<void> {
  const owner = await connectAsOwner(runtime)
  await owner.query('set session_replication_role = replica')
  const { rowCount } = await owner.query(statement, values)
  expect(rowCount).toBe(1)
  await owner.end()
}

describe.each([
  ['without raw payloads', aroundNow],
  ['with raw payloads', raw],
])('an archive %s', (_name, input) => {
  test('has every row with its commitment, and its verifier recomputes them all', async () => {
    const made = await scene()
    const { checks, rows, found, text } = await archiveOf(made, input())
    expect(checks.filter(({ state }) => state === 'fails')).toEqual([])
    expect(found('log', 'Rows')).toMatchObject({
      state: 'holds',
      detail: expect.stringMatching(/^All \d\d rows are as the log commits to them, up to record \d+ of /),
    })
    expect(found('completeness', 'Rows')).toMatchObject({ state: 'holds' })
    const [agent] = await rows('agents')
    expect(agent).toMatchObject({ state: { id: made.agentId, name: 'sorter' }, bound: { type: 'agent', form: 1 } })
    const [one] = await rows('approval-votes')
    expect(one.state.reason).toMatch(/^[\w-]{43}$/)
    expect(one.values.reason).toMatchObject({ value: 'It is due.' })
    expect(await text('data/report.html')).toContain('approved, ')
    expect(await text('data/report.html')).toContain('<blockquote>It is due.</blockquote>')
    const [step] = await rows('execution-steps')
    expect(step).toMatchObject({ state: { status: 'succeeded' }, bound: { type: 'execution_step', form: 1 } })
    // Addresses and the names by which an identity provider knows people stay commitments.
    for (const member of await rows('members')) {
      expect(Object.keys(member.values).filter((name) => !['username', 'displayName'].includes(name))).toEqual([])
      expect(member.state.subject).toMatch(/^[\w-]{43}$/)
    }
  })
})

test('an archive of one approval proves its rows with the records that its log leaves out', async () => {
  const made = await scene()
  const { checks, found } = await archiveOf(made, { ...aroundNow(), scope: { approvalId: made.approvalId } })
  expect(checks.filter(({ state }) => state === 'fails')).toEqual([])
  expect(found('log', 'Rows')).toMatchObject({ state: 'holds' })
  expect(found('log', 'Other records')).toMatchObject({ state: 'holds' })
})

test('an archive proves rows by records from before and after its period', async () => {
  const made = await scene()
  const { approvalId } = await askForRefund(made.tenant, made.maria, {})
  // Records have the database's time as this process continues it, which may be some milliseconds behind.
  const now = await runtime.database.inTenant(made.tenant.id, databaseClock)
  const cut = now()
  await expect.poll(() => now() > cut).toBe(true)
  await vote(made.jonas, approvalId)
  const second = await askForRefund(made.tenant, made.maria, {})
  const later = await archiveOf(made, { ...aroundNow(), startDate: cut.toISOString() })
  const earlier = await archiveOf(made, { ...aroundNow(), endDate: cut.toISOString() })
  for (const { checks, found, rows } of [later, earlier]) {
    expect(checks.filter(({ state }) => state === 'fails')).toEqual([])
    expect(found('log', 'Rows')).toMatchObject({ state: 'holds' })
    expect((await rows('other-records')).length).toBeGreaterThan(0)
  }
  const ofEarlier = await earlier.rows('approvals')
  expect(ofEarlier.map(({ state }) => state.id)).not.toContain(second.approvalId)
  // It was decided after the period.
  expect(ofEarlier.find(({ state }) => state.id === approvalId)).toMatchObject({ state: { status: 'approved' } })
  expect((await later.rows('approvals')).map(({ state }) => state.id)).toContain(second.approvalId)
})

test('rows that change while an archive is made are shown as they were before, and its log has what followed', async () => {
  const made = await scene()
  const { tenant, maria, jonas } = made
  const { approvalId } = await askForRefund(tenant, maria, {})
  const run = await claim(tenant.id, await askForExport(made.pia))
  if (run === undefined) throw new Error('The export has ended.')
  const path = join(runtime.config.dataDir, 'while-changing.zip')
  await withRowsAsOf(tenant.id, async (rows) => {
    await vote(jonas, approvalId)
    await askForRefund(tenant, maria, {})
    const covered = await coverageOf(run, rows, { begin: async () => undefined, check: (_log, work) => work() })
    await askForRefund(tenant, maria, {})
    return await makeInProcess({ run, covered, path, expected: 1 }, new AbortController().signal)
  })
  const file = await openFile(path)
  const { checks } = await verifyArchive(file).finally(file.close)
  expect(checks.filter(({ state }) => state === 'fails')).toEqual([])
  expect(checks).toContainEqual(expect.objectContaining({ verdict: 'log', name: 'Rows', state: 'holds' }))
  const { text } = await runtime.extract('while-changing', await readFile(path))
  const approvals = parseLines(await text('data/approvals.ndjson'))
  const pending = approvals.filter(({ state }) => state.status === 'pending')
  expect(pending.map(({ state }) => state.id)).toEqual([approvalId])
  expect(approvals).toHaveLength(3)
})

describe('an export fails with integrity_failed and names the row, and raises an alarm, after', () => {
  test.each<[string, string, (made: Scene) => [statement: string, type: string, id: string]]>([
    [
      'a changed row',
      'changed',
      ({ approvalId }) => [`update approvals set status = 'rejected' where id = $1`, 'approval', approvalId],
    ],
    [
      'a changed name',
      'changed',
      ({ agentId }) => [`update agents set display_name = 'Other' where id = $1`, 'agent', agentId],
    ],
    [
      'a deleted row of the period',
      'deleted',
      ({ approvalId }) => ['delete from approvals where id = $1', 'approval', approvalId],
    ],
    [
      'a deleted row of configuration',
      'deleted',
      ({ agentId }) => ['delete from agents where id = $1', 'agent', agentId],
    ],
    [
      'an inserted row',
      'inserted',
      () => [
        `insert into approvals select (jsonb_populate_record(a, '{"id": "01900000-0000-7000-8000-000000000001"}')).*
         from approvals a where id = $1`,
        'approval',
        '01900000-0000-7000-8000-000000000001',
      ],
    ],
    [
      'a changed state',
      'was not written by the server',
      ({ approvalId }) => [
        `update bound_states set digest = sha256('x') where type = 'approval' and id = $1`,
        'approval',
        approvalId,
      ],
    ],
  ])('%s', async (_name, reason, change) => {
    const made = await scene()
    const [statement, type, id] = change(made)
    await bySql(statement, [type === 'approval' ? made.approvalId : id])
    const job = await runtime.make(made.tenant, made.pia)
    expect(job).toMatchObject({ status: 'failed', archiveName: null, error: { code: 'integrity_failed' } })
    expect(job.error?.message).toContain(`The stored ${type} ${id} is not the one in the audit log.`)
    expect(job.error?.message).toContain(reason)
    expect(await runtime.actions(made.tenant, id)).toContain('state.integrity_failed')
    expect(await runtime.actions(made.tenant, job.exportId)).toContain('alarm.raised')
  })
})

test('a row that was replayed together with its older state is found by the verifier before the archive is published', async () => {
  const { tenant, maria, pia } = await scene()
  const { approvalId } = await askForRefund(tenant, maria, {})
  const owner = await connectAsOwner(runtime)
  const [row, state] = await Promise.all([
    owner.query('select to_jsonb(a) as row from approvals a where id = $1', [approvalId]),
    owner.query(`select to_jsonb(b) as row from bound_states b where type = 'approval' and id = $1`, [approvalId]),
  ])
  const anna = await tenant.as('anna', { roles: ['approver'], groups: [approverGroup] })
  await vote(anna, approvalId)
  await owner.query('set session_replication_role = replica')
  await owner.query('delete from approvals where id = $1', [approvalId])
  await owner.query(`delete from bound_states where type = 'approval' and id = $1`, [approvalId])
  await owner.query('insert into approvals select (jsonb_populate_record(null::approvals, $1)).*', [row.rows[0].row])
  await owner.query('insert into bound_states select (jsonb_populate_record(null::bound_states, $1)).*', [
    state.rows[0].row,
  ])
  await owner.end()
  const job = await runtime.make(tenant, pia)
  expect(job).toMatchObject({ status: 'failed', error: { code: 'integrity_failed' } })
  expect(job.error?.message).toMatch(new RegExp(`approval ${approvalId} at revision 1; the log has 2`))
})
