import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decide } from '#server/approvals/decide.ts'
import { lockForDecision, writeDecision } from '#server/approvals/decision-store.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/closing.ts'
import { databaseTraffic } from '#server/kernel/db/connection.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { approverGroup, askForRefund } from '#server/testing/approval-request.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { adoptTenant } from './adopt.ts'
import { requireAllBound } from './check.ts'

let running: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let [maria, jonas, anna]: Caller[] = []
beforeAll(async () => {
  running = await testRuntime()
  onDecided('tool_call', () => Promise.resolve())
  await running.queue.work([expiry])
  tenant = await testTenant(running)
  maria = await tenant.as('maria', { roles: ['developer'] })
  jonas = await tenant.as('jonas', { roles: ['approver'], groups: [approverGroup] })
  anna = await tenant.as('anna', { roles: ['approver'], groups: [approverGroup] })
  expect(await adoptTenant(tenant.id)).toBe(true)
})
afterAll(() => running.close())

const known = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('beforeAll has set it')
  return value
}
const ask = async (quorum: number) => (await askForRefund(tenant, known(maria), { quorum })).approvalId
const vote = (caller: Caller | undefined, approvalId: string, decision: string, idempotencyKey?: string) =>
  execute(
    decide,
    known(caller),
    { approvalId, decision, decisionAcknowledged: true, reason: 'Read ü “twice”.' },
    { name: 'approvals.decide', idempotencyKey },
  )
const inTenant = <T>(work: (tx: Transaction) => Promise<T>) => running.database.inTenant(tenant.id, work)
const requireAll = () =>
  inTenant(async (tx) => {
    await requireAllBound(tx, tenant.id, 'approval')
    await requireAllBound(tx, tenant.id, 'approval_vote')
  })
const statesOf = (approvalId: string) =>
  inTenant(async (tx) => {
    const { rows } = await sql<{ type: string; revision: number; recorded: boolean }>`
      select state.type, state.revision, record.record->'states' @> jsonb_build_array(jsonb_build_object(
        'id', state.id, 'digest', 'sha256:' || encode(state.digest, 'hex'), 'revision', state.revision)) as recorded
      from bound_states state join audit_records record on record.audit_id = state.audit_id
      where state.id like ${`${approvalId}%`} and state.type in ('approval', 'approval_vote')
      order by state.type, state.id`.execute(tx)
    return rows
  })

describe('a write whose rows are known', () => {
  test('binds the rows as the database has them, and the record of the operation contains them', async () => {
    const approvalId = await ask(2)
    expect((await vote(jonas, approvalId, 'approve')).status).toBe('pending')
    await requireAll()
    expect(await vote(anna, approvalId, 'reject', 'a-key')).toMatchObject({ status: 'rejected', revision: 3 })
    expect(await vote(anna, approvalId, 'reject', 'a-key')).toMatchObject({ status: 'rejected', revision: 3 })
    await requireAll()
    expect(await statesOf(approvalId)).toEqual([
      { type: 'approval', revision: 3, recorded: true },
      { type: 'approval_vote', revision: 1, recorded: true },
      { type: 'approval_vote', revision: 1, recorded: true },
    ])
  })

  const decideIn = async (
    tx: Transaction,
    approvalId: string,
    change: { memberId?: string; revision?: number } = {},
  ) => {
    const { memberId } = known(jonas).principal
    const locked = await lockForDecision(tx, { tenantId: tenant.id, approvalId, memberId })
    const auditId = await appendAudit(tx, tenant, {
      actor: systemActor,
      action: 'approval.approve',
      resource: { type: 'approval', id: approvalId },
    })
    const vote = { id: newId(), memberId, onBehalfOf: null, decision: 'approve', reason: 'Read.', escalationLevel: 0 }
    await writeDecision(tx, locked, {
      tenantId: tenant.id,
      approvalId,
      revision: change.revision ?? 1,
      status: 'approved',
      at: new Date(),
      auditId,
      vote: { ...vote, confirmation: undefined },
    })
  }
  const statusIn = async (tx: Transaction, approvalId: string) =>
    (await tx.selectFrom('approvals').select('status').where('id', '=', approvalId).executeTakeFirstOrThrow()).status

  test('is sent before the next statement of its transaction, which sees it, and its rows are bound', async () => {
    const approvalId = await ask(1)
    await inTenant(async (tx) => {
      await decideIn(tx, approvalId)
      expect(await statusIn(tx, approvalId)).toBe('approved')
    })
    await requireAll()
    expect((await statesOf(approvalId)).map(({ recorded }) => recorded)).toEqual([true, true])
  })

  test('is otherwise one statement with its states and records, sent with the COMMIT', async () => {
    const approvalId = await ask(1)
    await inTenant((tx) => decideIn(tx, approvalId))
    const second = await ask(1)
    let before = databaseTraffic()
    await inTenant(async (tx) => {
      await decideIn(tx, second)
      before = databaseTraffic()
    })
    const after = databaseTraffic()
    expect({ writes: after.writes - before.writes, statements: after.statements - before.statements }).toEqual({
      writes: 1,
      statements: 2,
    })
    await requireAll()
  })

  test('has its rows noted only if they have to be read', async () => {
    const approvalId = await ask(1)
    const notes = async (tx: Transaction) =>
      (await sql<{ notes: string }>`select current_setting('app.touched_approvals', true) as notes`.execute(tx)).rows[0]
        ?.notes
    await inTenant(async (tx) => {
      await decideIn(tx, approvalId)
      expect(await notes(tx)).toContain(approvalId)
    })
    const undone = inTenant(async (tx) => {
      await sql`select set_config('app.rows_known', 'on', true)`.execute(tx)
      await sql`update approvals set expires_at = expires_at where id = ${approvalId}`.execute(tx)
      expect(await notes(tx)).toBeFalsy()
      throw new Error('Undone.')
    })
    await expect(undone).rejects.toThrow('Undone.')
    await requireAll()
  })

  test('fails as a whole with the function: neither rows nor records are committed', async () => {
    const approvalId = await ask(1)
    const records = () =>
      inTenant(async (tx) => (await tx.selectFrom('auditRecords').select('auditId').execute()).length)
    const before = await records()
    await expect(inTenant((tx) => decideIn(tx, approvalId, { revision: 7 }))).rejects.toThrow('changed under its lock')
    await expect(
      inTenant(async (tx) => {
        await decideIn(tx, approvalId, { revision: 7 })
        await statusIn(tx, approvalId)
      }),
    ).rejects.toThrow('changed under its lock')
    expect(await records()).toBe(before)
    expect(await inTenant((tx) => statusIn(tx, approvalId))).toBe('pending')
  })

  test('does not follow a state that another transaction has written', async () => {
    const approvalId = await ask(1)
    await inTenant(async (tx) => {
      await sql`update bound_states set revision = revision + 1 where type = 'approval' and id = ${approvalId}`.execute(
        tx,
      )
    })
    await expect(vote(jonas, approvalId, 'approve')).rejects.toMatchObject({ code: 'integrity_failed' })
  })
})
