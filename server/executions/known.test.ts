import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closeToolServers } from '#server/agents/stdio-connections.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { registerDecisions } from '#server/jobs.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { requireAllBound } from '#server/kernel/bound/check.ts'
import { isWrittenAlike } from '#server/kernel/bound/known.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import { databaseTraffic } from '#server/kernel/db/connection.ts'
import { newId, newTraceId } from '#server/kernel/ids.ts'
import { execute as perform } from '#server/kernel/operation.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import { findReleased } from '#server/releases/released-store.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { governedAgent } from '../../bench/governed-agent.ts'
import { execute } from './execute.ts'
import { executionQueue } from './execution-queue.ts'
import { advanceExecutions } from './jobs.ts'
import { newRows, writeStart } from './state/known-store.ts'
import { asStored } from './state/load.ts'
import { advance } from './steps/advance.ts'
import { foreseeFirstCall } from './steps/first-turn.ts'
import type { Started } from './steps/turn.ts'

// An execution that this process has stored begins and ends without being read again. Whatever anyone else does to it in between counts,
// or is found.

/** Of the slots of one process, those of one tenant (jobs/shared-slots.ts). */
const share = (advanceExecutions.concurrency * 3) / 4
const types = ['execution', 'execution_event', 'execution_step', 'decision', 'span']

let running: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let owner: Client
let pipeline: Caller
let agent: Awaited<ReturnType<typeof governedAgent>>
let gate: string
beforeAll(async () => {
  gate = await mkdtemp(join(tmpdir(), 'countersign-gate-'))
  const command = join(import.meta.dirname, '../testing/fakes/gated-payments.ts')
  const payments = {
    command: process.execPath,
    args: [command],
    env: { COUNTERSIGN_GATE: gate },
    tenants: ['ext-known'],
  }
  running = await testRuntime({ mcpServers: { payments } })
  registerDecisions()
  await running.queue.work([advanceExecutions, expiry])
  tenant = await testTenant(running, 'known')
  owner = await connectAsOwner(running)
  const maria = await tenant.as('maria', { roles: ['developer', 'approver'], groups: ['change-approvers'] })
  pipeline = await tenant.as('ci', {
    roles: ['developer'],
    kind: 'service_account',
    createdBy: maria.principal.memberId,
  })
  const approver = await tenant.as('jonas', { roles: ['approver'], groups: ['change-approvers'] })
  expect(await adoptTenant(tenant.id)).toBe(true)
  agent = await governedAgent({ pipeline, approver })
  await ended(await start())
})
afterAll(async () => {
  await owner.end()
  await closeToolServers()
  await closeEngine()
  await running.close()
  await rm(gate, { recursive: true })
})

const start = async (more: object = {}): Promise<string> =>
  (await perform(execute, pipeline, { ...agent, ...more }, { name: 'executions.execute' })).executionId
const stateOf = async (id: string) =>
  (
    await owner.query<{ status: string; ended: boolean; code: string | null }>(
      'select status, ended_at is not null as ended from executions where id = $1',
      [id],
    )
  ).rows[0]
const ended = (id: string) =>
  until(async () => {
    const state = await stateOf(id)
    return state?.ended === true ? state.status : undefined
  }, 'the execution has ended')
const count = async () =>
  (await owner.query<{ count: number }>('select count(*)::int as count from executions')).rows[0]?.count
const entries = async (id: string) =>
  (
    await owner.query<{ type: string }>('select type from execution_events where execution_id = $1 order by seq', [id])
  ).rows.map(({ type }) => type)
const usual = ['execution.running', 'policy.decided', 'tool.called', 'tool.returned', 'execution.succeeded']
const requireRight = () =>
  running.database.inTenant(tenant.id, async (tx) => {
    for (const type of types) await requireAllBound(tx, tenant.id, type)
  })
const writesDuring = async (work: () => Promise<unknown>): Promise<number> => {
  const before = databaseTraffic().writes
  await work()
  return databaseTraffic().writes - before
}

/** Stores an execution as `execute` does, but leaves its first turn to the test. */
async function stored(): Promise<{ id: string; started: Started }> {
  const rows = newRows()
  const id = newId()
  const { loaded, ahead } = await running.database.inTenant(tenant.id, async (tx) => {
    const { agent: found, release } = await findReleased(tx, { tenantId: tenant.id, ...agent })
    if (found === undefined || release === undefined) throw new Error('The agent is released.')
    const at = (await databaseClock(tx))()
    const row = {
      tenantId: tenant.id,
      id,
      agentId: found.id,
      releaseId: release.id,
      environment: agent.environment,
      input: agent.input,
      idempotencyKey: null,
      traceId: newTraceId(),
      startedBy: pipeline.principal.memberId,
    }
    const { content } = release
    const loaded = asStored(tenant, row, at, { agent: found, release, content })
    const { ahead } = await foreseeFirstCall(tx, loaded)
    await writeStart(tx, row, at, rows, undefined)
    await appendAudit(tx, tenant, {
      actor: systemActor,
      action: 'execution.started',
      resource: { type: 'execution', id },
    })
    return { loaded, ahead }
  })
  expect(rows.isBound).toBe(true)
  return { id, started: { loaded, rows, ahead } }
}
const advanceStored = async ({ id, started }: { id: string; started: Started }) => {
  await advance({ tenantId: tenant.id, id }, started)
  return await stateOf(id)
}

describe('the usual course', () => {
  test('binds every row as the database has it, in the record of its step', async () => {
    const id = await start()
    expect(await ended(id)).toBe('succeeded')
    expect(await entries(id)).toEqual(usual)
    await requireRight()
    const { rows } = await owner.query<{ type: string; states: number }>(
      `select record->>'action' as type, jsonb_array_length(record->'states') as states from audit_records
       where record->'resource'->>'id' = $1 order by date, seq`,
      [id],
    )
    // One execution; execution, three entries, step, decision and three spans; execution, two entries, step and two spans.
    expect(rows).toEqual([
      { type: 'execution.started', states: 1 },
      { type: 'execution.running', states: null },
      { type: 'tool.called', states: 9 },
      { type: 'tool.returned', states: null },
      { type: 'execution.succeeded', states: 6 },
    ])
  })

  test('reads nothing between the start and the end', async () => {
    const one = await stored()
    expect(
      await writesDuring(async () => expect(await advanceStored(one)).toMatchObject({ status: 'succeeded' })),
    ).toBe(2)
    expect(await entries(one.id)).toEqual(usual)
    await requireRight()
  })

  test('while the tenant has its share of the slots, waits in the queue and reads nothing either', async () => {
    const hold = join(gate, 'hold-lookup_order')
    writeFileSync(hold, '')
    const before = calls()
    const busy = await Promise.all(Array.from({ length: share }, () => start()))
    await until(async () => (calls() >= before + share ? true : undefined), 'the calls have begun')
    let waits = ''
    // The start: a read, and a write with its COMMIT.
    expect(
      await writesDuring(async () => {
        waits = await start()
      }),
    ).toBe(2)
    const { rows } = await owner.query<{ state: string }>('select state from pgboss.job where singleton_key = $1', [
      waits,
    ])
    expect(rows).toEqual([{ state: 'created' }])
    expect(await entries(waits)).toEqual([])
    rmSync(hold)
    for (const id of [...busy, waits]) expect(await ended(id)).toBe('succeeded')
    expect(await entries(waits)).toEqual(usual)
    await requireRight()
  })

  test('decides the first call once, if it begins within a second', async () => {
    const decided = async (id: string) =>
      (await owner.query<{ id: string }>('select id from policy_decisions where execution_id = $1', [id])).rows
    const [fresh, old] = [await stored(), await stored()]
    const ahead = old.started.ahead
    if (ahead === undefined) throw new Error('The call is allowed.')
    await advanceStored(fresh)
    expect(await decided(fresh.id)).toEqual([{ id: fresh.started.ahead?.decision.decisionId }])
    await advanceStored({ id: old.id, started: { ...old.started, ahead: { ...ahead, madeAt: ahead.madeAt - 1000 } } })
    expect(await decided(old.id)).toHaveLength(1)
    expect(await decided(old.id)).not.toEqual([{ id: ahead.decision.decisionId }])
    await requireRight()
  })

  test('with an idempotency key starts once, also when two requests come at the same moment', async () => {
    const idempotencyKey = randomUUID()
    const ids = await Promise.all(Array.from({ length: 4 }, () => start({ idempotencyKey })))
    expect(new Set(ids).size).toBe(1)
    expect(await ended(ids[0] ?? '')).toBe('succeeded')
    expect(await entries(ids[0] ?? '')).toEqual(usual)
    await requireRight()
  })

  test.each([
    ['the agent', 'update agents set display_name = $2 where id = $1', 'Order desk'],
    [
      'the release',
      `update releases set content = jsonb_set(content, '{spec,limits}', $2::jsonb) where agent_id = $1`,
      '{"maxToolCalls":7}',
    ],
  ])('does not begin when SQL has changed %s', async (what, text, value) => {
    const table = what === 'the agent' ? 'agents' : 'releases'
    const key = what === 'the agent' ? 'id' : 'agent_id'
    await owner.query(`create temporary table kept as select * from ${table} where ${key} = $1`, [agent.agentId])
    await owner.query(text, [agent.agentId, value])
    const before = await count()
    try {
      await expect(start()).rejects.toMatchObject({ code: 'integrity_failed' })
    } finally {
      const columns = what === 'the agent' ? 'display_name = kept.display_name' : 'content = kept.content'
      await owner.query(`update ${table} now set ${columns} from kept where now.id = kept.id`)
      await owner.query('drop table kept')
    }
    expect(await count()).toBe(before)
    expect(await ended(await start())).toBe('succeeded')
  })

  test('continues in another process if this one has stored no more than the start', async () => {
    const { id } = await stored()
    await running.database.inTenant(tenant.id, (tx) =>
      running.queue.enqueue(tx, executionQueue, { tenantId: tenant.id, id }),
    )
    expect(await ended(id)).toBe('succeeded')
    await requireRight()
  })
})

describe('what happens between the start and the first call', () => {
  const change =
    (text: string, ...values: unknown[]) =>
    async () => {
      await owner.query(text, values)
    }
  const undo = async () => {
    await owner.query(`update agents set status = 'active'`)
    await owner.query(`update releases set status = 'active'`)
  }

  test.each([
    ['the agent is suspended', `update agents set status = 'suspended' where id = $1`, 'canceled'],
    ['the release is withdrawn', `update releases set status = 'withdrawn' where agent_id = $1`, 'denied'],
  ])('counts: %s', async (_what, text, status) => {
    const one = await stored()
    const before = calls()
    await change(text, agent.agentId)()
    try {
      expect((await advanceStored(one))?.status).toBe(status)
    } finally {
      await undo()
    }
    expect(calls()).toBe(before)
    expect(await entries(one.id)).not.toContain('tool.called')
  })

  test('counts: a member stops the execution', async () => {
    const one = await stored()
    const before = calls()
    await running.database.inTenant(tenant.id, async (tx) => {
      await sql`select change_execution(${tenant.id}, ${one.id}, 1, array['execution.stop_requested'], array[null]::text[],
        array[null]::bytea[], null, null, null, false, false, null, 'Not now.', false, false)`.execute(tx)
    })
    expect((await advanceStored(one))?.status).toBe('canceled')
    expect(calls()).toBe(before)
    await requireRight()
  })

  test('counts: the bindings change', async () => {
    const one = await stored()
    await change('update policy_binding_revisions set revision = gen_random_uuid() where tenant_id = $1', tenant.id)()
    expect((await advanceStored(one))?.status).toBe('succeeded')
    expect(await entries(one.id)).toEqual(usual)
    await requireRight()
  })

  test('counts: another transaction of the service binds the execution', async () => {
    const one = await stored()
    await running.database.inTenant(tenant.id, async (tx) => {
      await sql`update executions set stop_reason = 'A note.' where id = ${one.id}`.execute(tx)
    })
    expect((await advanceStored(one))?.status).toBe('succeeded')
    expect(await entries(one.id)).toEqual(usual)
    await requireRight()
  })

  test('counts: telemetry begins a trace with the same id', async () => {
    const one = await stored()
    await owner.query(
      `insert into traces (tenant_id, trace_id, name, started_at, change_count) values ($1, $2, 'from elsewhere', now(), 3)`,
      [tenant.id, one.started.loaded.row.traceId],
    )
    expect((await advanceStored(one))?.status).toBe('succeeded')
    expect(await entries(one.id)).toEqual(usual)
    await requireRight()
  })

  test('is found when the row is read: SQL changes it', async () => {
    const one = await stored()
    await change(`update executions set environment = 'staging' where id = $1`, one.id)()
    expect((await advanceStored(one))?.status).toBe('succeeded')
    await expect(requireRight()).rejects.toMatchObject({ code: 'integrity_failed' })
    await change(`update executions set environment = 'production' where id = $1`, one.id)()
    await requireRight()
  })
})

describe('what happens during the call', () => {
  const hold = () => join(gate, 'hold-lookup_order')
  let before = 0
  beforeEach(() => {
    before = calls()
    writeFileSync(hold(), '')
  })
  const during = async (work: (id: string, traceId: string) => Promise<void>) => {
    const one = await stored()
    const advanced = advanceStored(one)
    await until(async () => (calls() > before ? true : undefined), 'the call has begun')
    await work(one.id, one.started.loaded.row.traceId)
    rmSync(hold())
    return { id: one.id, state: await advanced }
  }

  test('counts: telemetry comes for the same trace', async () => {
    const { id, state } = await during(async (_id, traceId) => {
      await owner.query('update traces set change_count = change_count + 1 where trace_id = $1', [traceId])
    })
    expect(state?.status).toBe('succeeded')
    expect(await entries(id)).toEqual(usual)
    await requireRight()
  })

  test('counts: another transaction of the service binds the execution', async () => {
    const { id, state } = await during(async (id) => {
      await running.database.inTenant(tenant.id, (tx) =>
        sql`update executions set stop_reason = 'A note.' where id = ${id}`.execute(tx),
      )
    })
    expect(state?.status).toBe('succeeded')
    expect(await entries(id)).toEqual(usual)
    await requireRight()
  })

  test('counts: the agent is suspended, and the answer is kept', async () => {
    const { id, state } = await during(async () => {
      await owner.query(`update agents set status = 'suspended' where id = $1`, [agent.agentId])
    })
    await owner.query(`update agents set status = 'active' where id = $1`, [agent.agentId])
    expect(state?.status).toBe('canceled')
    expect(await entries(id)).toEqual([...usual.slice(0, -1), 'execution.canceled'])
  })

  test('is found when the row is read: SQL changes the step', async () => {
    const { id, state } = await during(async (id) => {
      await owner.query('update execution_steps set attempts = 7 where execution_id = $1', [id])
    })
    expect(state?.status).toBe('succeeded')
    await expect(requireRight()).rejects.toMatchObject({ code: 'integrity_failed' })
    await owner.query('update execution_steps set attempts = 1 where execution_id = $1', [id])
    await requireRight()
  })
})

test.each([
  ['{"a":1e+21}', false],
  ['[1.5E+300]', false],
  ['{"a":1e-7,"b":123456789012345680000,"c":"1.0"}', true],
])('whether PostgreSQL writes %s as this process does: %s', async (row, alike) => {
  expect(isWrittenAlike(row)).toBe(alike)
  const { rows } = await owner.query<{ text: string }>('select $1::jsonb::text as text', [row])
  const digits = (text = '') => text.replaceAll(' ', '').replace('0.0000001', '1e-7')
  expect(digits(rows[0]?.text) === row).toBe(alike)
})

/** The calls that have reached the tool server. */
function calls(): number {
  try {
    return readFileSync(join(gate, 'calls.log'), 'utf8').split('\n').length
  } catch {
    return 0
  }
}
