import { afterAll, beforeAll, expect, test } from 'vitest'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { newId, newTraceId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { insertActivity } from '#server/testing/activity.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { getTrace } from './get-trace.ts'
import { list } from './list.ts'
import { startTrace } from './recording/record.ts'

// What lists and pages of traces say of executions, after a change by SQL.

let runtime: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  runtime = await testRuntime()
})
afterAll(() => runtime.close())

/** Runs a statement as an administrator who bypasses the triggers. */
async function bySql(statement: string, values: unknown[] = []) {
  const owner = await connectAsOwner(runtime)
  try {
    await owner.query('set session_replication_role = replica')
    return (await owner.query<{ traceId: string; agentId: string }>(statement, values)).rows
  } finally {
    await owner.end()
  }
}

/** A tenant with two executions, each with its trace. */
async function scene() {
  const tenant = await testTenant(runtime)
  const viewer = await tenant.as('vera', { roles: ['viewer'] })
  const { executionId } = await insertActivity(runtime, tenant, viewer.principal.memberId, { note: 'refund' })
  const another = newId()
  await bySql(
    `insert into executions select (jsonb_populate_record(made, jsonb_build_object('id', $2::uuid, 'agent_id', gen_random_uuid(),
       'idempotency_key', null))).* from executions made where id = $1`,
    [executionId, another],
  )
  const executions: { executionId: string; traceId: string; agentId: string }[] = []
  for (const id of [executionId, another]) {
    const [row] = await bySql(
      `update executions set trace_id = $2 where id = $1 returning trace_id as "traceId", agent_id as "agentId"`,
      [id, newTraceId()],
    )
    if (row === undefined) throw new Error('The execution was not inserted.')
    executions.push({ executionId: id, ...row })
    await runtime.database.inTenant(tenant.id, (tx) =>
      startTrace(tx, tenant.id, { ...row, executionId: id, name: 'refund', startedAt: new Date() }),
    )
  }
  expect(await adoptTenant(tenant.id)).toBe(true)
  const [first, second] = executions
  if (first === undefined || second === undefined) throw new Error('unreachable: two were inserted')
  return {
    first,
    second,
    listed: () => execute(list, viewer, {}, { name: 'traces.list' }),
    opened: (traceId: string) =>
      execute(getTrace, viewer, { tenantId: tenant.externalId, traceId }, { name: 'traces.getTrace' }),
  }
}
type Scene = Awaited<ReturnType<typeof scene>>

test('true traces are listed and opened', async () => {
  const { first, listed, opened } = await scene()
  expect((await listed()).items.map(({ executionId }) => executionId)).toContain(first.executionId)
  expect((await opened(first.traceId)).trace).toMatchObject({ executionId: first.executionId, agentId: first.agentId })
})

test.each<[string, (made: Scene) => string, object]>([
  [
    'another execution',
    ({ first, second }) =>
      `update traces set execution_id = '${second.executionId}' where trace_id = '${first.traceId}'`,
    { type: 'trace' },
  ],
  [
    'another agent',
    ({ first, second }) => `update traces set agent_id = '${second.agentId}' where trace_id = '${first.traceId}'`,
    { type: 'trace' },
  ],
  [
    'an execution whose own row was changed',
    ({ first }) => `update executions set agent_id = gen_random_uuid() where id = '${first.executionId}'`,
    { type: 'execution' },
  ],
  [
    'an execution that was deleted',
    ({ first }) => `delete from executions where id = '${first.executionId}'`,
    { type: 'execution' },
  ],
])('a trace that names %s is neither listed nor opened', async (_name, change, details) => {
  const made = await scene()
  await bySql(change(made))
  await expect(made.listed()).rejects.toMatchObject({ code: 'integrity_failed', details })
  await expect(made.opened(made.first.traceId)).rejects.toMatchObject({ code: 'integrity_failed', details })
  // Others are not affected.
  await expect(made.opened(made.second.traceId)).resolves.toMatchObject({ trace: { traceId: made.second.traceId } })
})
