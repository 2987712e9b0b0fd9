import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { requireAllBound } from '#server/kernel/bound/check.ts'
import { execute } from '#server/kernel/operation.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { submit } from './submit.ts'

// An event is prepared as one that no wait expects. These are the other cases, and the times at which they can occur.

let running: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
let tenant: TestTenant
beforeAll(async () => {
  running = await testRuntime()
  owner = await connectAsOwner(running)
  // The waits of these tests belong to no execution.
  await owner.query('alter table input_waits drop constraint input_waits_tenant_id_execution_id_fkey')
  tenant = await testTenant(running)
  expect(await adoptTenant(tenant.id)).toBe(true)
})
afterAll(async () => {
  await owner.end()
  await running.close()
})

const send = async (
  executionId: string,
  idempotencyKey: string = randomUUID(),
  data: unknown = { approved: true },
  answerKey?: string,
  to: TestTenant = tenant,
) =>
  await execute(
    submit,
    await to.as('sender', { roles: ['developer'] }),
    { idempotencyKey, correlation: { executionId, input: 'answer' }, data },
    { name: 'inputEvents.submit', idempotencyKey: answerKey },
  )
/** A wait that has ended, so that nothing is matched or resumed. */
const openWait = (executionId: string) =>
  owner.query(
    `insert into input_waits (tenant_id, id, execution_id, step_id, input_name, on_expiry, status, expires_at)
     values ($1, $2, $3, 'ask', 'answer', 'fail', 'canceled', now())`,
    [tenant.id, randomUUID(), executionId],
  )
const stored = async (executionId: string) =>
  (await owner.query<{ status: string }>('select status from input_events where execution_id = $1', [executionId])).rows
const recorded = async (receiptId: string) =>
  (
    await owner.query<{ details: unknown }>(
      `select record->'details' as details from audit_records
       where type = 'input.submitted' and record->'resource'->>'id' = $1 order by date, seq`,
      [receiptId],
    )
  ).rows.map(({ details }) => details)

describe('an event', () => {
  test('that no wait expects is stored, bound and recorded', async () => {
    const executionId = randomUUID()
    const { receiptId, ...result } = await send(executionId)
    expect(result).toEqual({ result: 'accepted', status: 'received' })
    expect(await stored(executionId)).toEqual([{ status: 'received' }])
    expect(await recorded(receiptId)).toMatchObject([{ executionId, input: 'answer', status: 'received' }])
    await running.database.inTenant(tenant.id, (tx) => requireAllBound(tx, tenant.id, 'input_event'))
  })

  test('that was sent before gets the same receipt, and the repetition is recorded', async () => {
    const [executionId, key] = [randomUUID(), randomUUID()]
    const first = await send(executionId, key)
    expect(await send(executionId, key)).toEqual({ ...first, result: 'duplicate' })
    await expect(send(executionId, key, { approved: false })).rejects.toMatchObject({ code: 'event_conflict' })
    expect(await stored(executionId)).toHaveLength(1)
    expect(await recorded(first.receiptId)).toMatchObject([{ status: 'received' }, { repeated: true }])
  })

  test('that was sent before, under a key for its answer, is remembered as what it was', async () => {
    const [executionId, key, answerKey] = [randomUUID(), randomUUID(), randomUUID()]
    const first = await send(executionId, key)
    for (let call = 0; call < 2; call++)
      expect(await send(executionId, key, undefined, answerKey)).toEqual({ ...first, result: 'duplicate' })
  })

  test('that was sent before costs no connection to the database', async () => {
    const connections = async () =>
      (
        await owner.query<{ pid: number }>(
          `select pid from pg_stat_activity where datname = current_database() and application_name like 'countersign/%'`,
        )
      ).rows.map(({ pid }) => pid)
    const [executionId, key] = [randomUUID(), randomUUID()]
    await send(executionId, key)
    const before = await connections()
    expect(before.length).toBeGreaterThan(0)
    for (let repetition = 0; repetition < 5; repetition++)
      expect(await send(executionId, key)).toMatchObject({ result: 'duplicate' })
    expect(await connections()).toEqual(expect.arrayContaining(before))
  })

  test('that this process remembers, and the database does not, is accepted', async () => {
    const [executionId, key, other] = [randomUUID(), randomUUID(), await testTenant(running)]
    const first = await send(executionId, key, undefined, undefined, other)
    await owner.query('delete from input_events where id = $1', [first.receiptId])
    const second = await send(executionId, key, undefined, undefined, other)
    expect(second).toEqual({ result: 'accepted', receiptId: expect.any(String), status: 'received' })
    expect(second.receiptId).not.toBe(first.receiptId)
    expect(await stored(executionId)).toEqual([{ status: 'received' }])
  })

  test('whose wait is known is matched with it', async () => {
    const executionId = randomUUID()
    await openWait(executionId)
    expect(await send(executionId)).toMatchObject({ result: 'accepted', status: 'wait_terminal' })
    expect(await stored(executionId)).toEqual([{ status: 'wait_terminal' }])
    await running.database.inTenant(tenant.id, (tx) => requireAllBound(tx, tenant.id, 'input_event'))
  })

  test('whose wait opens while it is being stored is matched with it, too', async () => {
    const executionId = randomUUID()
    await owner.query('begin')
    await owner.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`inputs ${tenant.id} ${executionId}`])
    await openWait(executionId)
    const sent = send(executionId)
    // It has not seen the wait, and is waiting for the lock.
    await until(async () => {
      const { rows } = await owner.query(`select from pg_locks where locktype = 'advisory' and not granted`)
      return rows.length > 0 ? true : undefined
    }, 'the event waits for the lock')
    await owner.query('commit')
    expect(await sent).toMatchObject({ result: 'accepted', status: 'wait_terminal' })
    expect(await stored(executionId)).toEqual([{ status: 'wait_terminal' }])
    await running.database.inTenant(tenant.id, (tx) => requireAllBound(tx, tenant.id, 'input_event'))
  })
})
