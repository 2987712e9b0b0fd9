// Longer than other files: a model, its machine and the histories that compare them are read together.
import { randomInt, randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { ApiError } from '#lib/errors.ts'
import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { create as createAgent } from '#server/agents/create.ts'
import { get as getAgent } from '#server/agents/get.ts'
import { resume } from '#server/agents/resume.ts'
import { suspend } from '#server/agents/suspend.ts'
import { decide } from '#server/approvals/decide.ts'
import { cancel as cancelExecution } from '#server/executions/cancel.ts'
import { execute as startExecution } from '#server/executions/execute.ts'
import { get as getExecution } from '#server/executions/get.ts'
import { decryptEventData, decryptStepValue } from '#server/executions/state/content.ts'
import { advance } from '#server/executions/steps/advance.ts'
import { stopVerdicts } from '#server/executions/stop/stop.ts'
import { openData } from '#server/inputs/event-content.ts'
import { waitExpiry } from '#server/inputs/expire-waits.ts'
import { cancel as cancelWait } from '#server/inputs/input-waits/cancel.ts'
import { submit } from '#server/inputs/submit.ts'
import { jobs, registerDecisions } from '#server/jobs.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import type { Database } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { execute, type Operation } from '#server/kernel/operation.ts'
import { runtime, setRuntime } from '#server/kernel/runtime.ts'
import { proposeBinding } from '#server/policies/bindings/propose.ts'
import { createPolicy } from '#server/policies/create.ts'
import { createVersion } from '#server/policies/create-version.ts'
import { publishVersion } from '#server/policies/publish-version.ts'
import { propose as proposeRelease } from '#server/releases/propose.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { countCases, sized } from './counts.ts'

// Every acknowledged signal is applied by a journaled step, still open, or reported as unused, in any order of events:
// random histories of senders, operators and workers, three at a time, in which any transaction may fail before its commit,
// or be committed without a response.

const histories = sized(600, 10)
const actsEach = 40
/** Waits that remain after a history are parked and resumed with its agent, so a single agent would slow down each history. */
const historiesOfAnAgent = 20

let base: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
let tenantId: string
let operator: Caller
let approver: Caller
let agentId: string
beforeAll(async () => {
  base = await testRuntime()
  registerDecisions()
  // The histories run the jobs themselves, in random order.
  await base.queue.work(jobs.map((job) => ({ ...job, concurrency: 1, run: () => Promise.resolve() })))
  owner = await connectAsOwner(base)
  const tenant = await testTenant(base)
  tenantId = tenant.id
  operator = await tenant.as('omar', { roles: ['developer', 'operator'] })
  approver = await tenant.as('jonas', { roles: ['approver'], groups: ['change-approvers'] })
}, 60_000)
afterAll(async () => {
  await owner.end()
  await base.close()
})

const perform = <I, O>(operation: Operation<I, O>, input: unknown, caller = operator): Promise<O> =>
  execute(operation, caller, input, { name: 'proof' })

/** Creates an agent with three waiting steps: for all of two inputs, for any of two, and for one that may expire. */
async function waitingAgent(name: string): Promise<string> {
  const yaml = JSON.stringify({
    metadata: { name, version: '1' },
    spec: {
      runtime: {
        steps: [
          { id: 'all', wait: { all: ['a', 'b'] } },
          { id: 'any', wait: { any: ['c', 'd'] } },
          { id: 'one', wait: { input: 'e' } },
        ],
      },
      inputs: [
        ...['a', 'b', 'c', 'd'].map((name) => ({ name, ttl: 'PT1H' })),
        { name: 'e', ttl: 'PT1H', onExpiry: 'continue', default: 'lapsed' },
      ],
    },
  })
  const { agent } = await perform(createAgent, { yaml })
  const { id: policyId } = await perform(createPolicy, { name })
  const source = '@id("nothing")\npermit (principal, action, resource);'
  const { version } = await perform(createVersion, { policyId, source })
  await perform(publishVersion, { policyId, version })
  const place = { agentId: agent.id, environment: 'production' }
  for (const { approvalId } of [
    await perform(proposeBinding, { ...place, policyId, policyVersion: version, mode: 'enforce' }),
    await perform(proposeRelease, { ...place, version: '1' }),
  ])
    await perform(decide, { approvalId, decision: 'approve', decisionAcknowledged: true, reason: 'Read.' }, approver)
  return agent.id
}

/** The end of a process: before its transaction commits, or after that and before the response. */
class Crash extends Error {}

/** Wraps the database so that each transaction may crash the process. */
function mortal(database: Database, dice: () => number, chance: number): Database {
  return {
    ...database,
    async inTenant(tenant, work) {
      const fate = dice()
      const result = await database.inTenant(tenant, async (tx) => {
        const inner = await work(tx)
        if (fate < chance) throw new Crash('before the commit')
        return inner
      })
      if (fate > 1 - chance) throw new Crash('after the commit')
      return result
    },
  }
}

/** Returns numbers in [0, 1) that depend only on the seed (mulberry32), so that a history can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Sent = { key: string; executionId: string; input: string; data: string; receiptId?: string }

const expected = new Set(['wait_terminal', 'revision_conflict', 'conflict', 'agent_suspended', 'not_found'])

async function history(seed: number): Promise<{ applied: number; sent: number }> {
  const random = randomFrom(seed)
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]
  setRuntime({ ...base, database: mortal(base.database, random, 0.06) })
  const executions: string[] = []
  const events: Sent[] = []
  const anyone = () => pick(executions) ?? randomUUID()

  const send = async (event: Sent) => {
    const { key, executionId, input, data } = event
    const answer = await perform(submit, { idempotencyKey: key, correlation: { executionId, input }, data })
    if (event.receiptId !== undefined) expect(answer.receiptId).toBe(event.receiptId)
    event.receiptId = answer.receiptId
  }
  const openWait = async (executionId: string) =>
    (
      await owner.query<{ id: string; revision: number }>(
        `select id, revision from input_waits where execution_id = $1 and status = 'open' order by id`,
        [executionId],
      )
    ).rows[0]
  const start = async () => {
    const started = { agentId, environment: 'production', input: {} }
    executions.push((await perform(startExecution, started)).executionId)
  }
  const acts: [weight: number, act: () => Promise<unknown>][] = [
    [5, start],
    [
      40,
      async () => {
        const event = { key: randomUUID(), executionId: anyone(), input: pick([...'abcde']) ?? 'a', data: randomUUID() }
        events.push(event)
        await send(event)
      },
    ],
    [10, async () => Promise.all(events.slice(-1).map(send))],
    [30, () => advance({ tenantId, id: anyone() })],
    [
      4,
      async () => {
        const wait = await openWait(anyone())
        if (wait === undefined) return
        await owner.query(`update input_waits set expires_at = clock_timestamp() where id = $1`, [wait.id])
        await waitExpiry.run({ tenantId, id: wait.id }, 0)
      },
    ],
    [
      2,
      async () => {
        const wait = await openWait(anyone())
        if (wait === undefined) return
        await perform(cancelWait, { id: wait.id, expectedRevision: wait.revision, reason: 'Not needed.' })
      },
    ],
    [
      2,
      async () => {
        const id = anyone()
        const { revision } = await perform(getExecution, { id })
        await perform(cancelExecution, { id, expectedRevision: revision, reason: 'Enough.' })
      },
    ],
    [3, () => turn(random() < 0.5 ? suspend : resume)],
  ]
  const total = acts.reduce((sum, [weight]) => sum + weight, 0)
  const chooseAct = () => {
    let at = random() * total
    for (const [weight, act] of acts) {
      at -= weight
      if (at < 0) return act
    }
    return () => Promise.resolve()
  }
  const attempt = async (act: () => Promise<unknown>) => {
    try {
      await act()
    } catch (error) {
      const known = error instanceof Crash || (error instanceof ApiError && expected.has(error.code))
      if (!known) throw error
    }
  }
  // Without initial executions, most acts of a short history would name unknown ones.
  await Promise.all([attempt(start), attempt(start), attempt(start)])
  for (let done = 0; done < actsEach; done += 3)
    await Promise.all([attempt(chooseAct()), attempt(chooseAct()), attempt(chooseAct())])

  // The processes no longer crash, and all requests and jobs are repeated, as clients and the queue do.
  setRuntime(base)
  const { status } = await perform(getAgent, { id: agentId })
  if (status === 'suspended') await turn(resume)
  for (const event of events) await send(event)
  const { rows } = await owner.query<{ id: string }>(
    `select id from executions where agent_id = $1 and ended_at is null`,
    [agentId],
  )
  for (const { id } of rows) await stopVerdicts.run({ tenantId, id }, 0)
  // The job of an expiry that crashed is still in the queue, and its wait is still open.
  const { rows: over } = await owner.query<{ id: string }>(
    `select id from input_waits where execution_id = any($1) and status = 'open' and expires_at <= clock_timestamp()`,
    [executions],
  )
  for (const { id } of over) await waitExpiry.run({ tenantId, id }, 0)
  for (const { id } of rows) await advance({ tenantId, id })
  return { applied: await check(executions, events), sent: events.length }
}

async function turn(operation: typeof suspend): Promise<void> {
  const { revision } = await perform(getAgent, { id: agentId })
  await perform(operation, { id: agentId, expectedRevision: revision, reason: 'As agreed.' })
}

type Row = {
  id: string
  status: string
  data: Buffer | null
  executionId: string
  input: string
  waitStatus: string | null
  takenBy: string | null
  resolutions: number
  application: string | null
  ended: boolean | null
  output: Buffer | null
  mode: string | null
  stillOpen: number
}
type Fate = Omit<Row, 'data' | 'output'> & { data: JsonValue; output: JsonValue; entries: number }

/** Checks the rows with plain SQL, without the code that wrote them. Returns how many signals were applied. */
async function check(executions: readonly string[], events: readonly Sent[]): Promise<number> {
  const { rows } = await owner.query<Row>(
    `select e.id, e.status, e.data, e.execution_id as "executionId", e.input_name as input, w.status as "waitStatus",
       w.event_id as "takenBy", x.ended_at is not null as ended, s.output, s.step_id as mode,
       (select count(*)::int from input_resolutions r where r.event_id = e.id) as resolutions,
       (select r.application from input_resolutions r where r.event_id = e.id) as application,
       (select count(*)::int from input_waits o where o.execution_id = w.execution_id and o.step_id = w.step_id
          and o.status = 'open') as "stillOpen"
     from input_events e
     left join input_waits w on w.execution_id = e.execution_id and w.input_name = e.input_name
     left join executions x on x.id = e.execution_id
     left join execution_steps s on s.execution_id = w.execution_id and s.step_id = w.step_id
     where e.id = any($1)`,
    [events.map((event) => event.receiptId)],
  )
  const { rows: applied } = await owner.query<{ executionId: string; stepId: string; data: Buffer }>(
    `select execution_id as "executionId", step_id as "stepId", data from execution_events
     where execution_id = any($1) and type = 'input.applied'`,
    [[...new Set(rows.map((row) => row.executionId))]],
  )
  const cipher = await base.database.inTenant(tenantId, (tx) => tenantCipher(tx, tenantId))
  const receipts = applied.flatMap(({ data, ...place }) =>
    Receipts.parse(decryptEventData(cipher, { ...place, type: 'input.applied' }, data)).receipts.map(
      (one) => one.receiptId,
    ),
  )
  const fates = new Map(
    rows.map((row): [string, Fate] => [
      row.id,
      {
        ...row,
        data: openData(cipher, row.id, row.data),
        output: decryptStepValue(
          cipher,
          { executionId: row.executionId, stepId: row.mode ?? '' },
          'output',
          row.output,
        ),
        entries: receipts.filter((id) => id === row.id).length,
      },
    ]),
  )
  for (const { receiptId = '', data } of events) {
    const fate = fates.get(receiptId)
    expect(fate, `the acknowledged signal ${receiptId} exists`).toBeDefined()
    if (fate === undefined) continue
    expect(fate.data).toBe(data)
    expect([fate, isAccountedFor(fate)]).toEqual([fate, true])
  }
  const { rows: journals } = await owner.query(
    `select x.id from executions x where x.id = any($1) and x.event_count <>
       (select count(*) from execution_events j where j.execution_id = x.id)
     union all
     select execution_id from execution_events where execution_id = any($1) and type = 'input.applied'
       group by execution_id, step_id having count(*) > 1
     union all
     select w.execution_id from input_waits w join executions x on x.id = w.execution_id
       where x.id = any($1) and w.status = 'open' and x.status <> 'waiting_input'`,
    [executions],
  )
  expect(journals).toEqual([])
  return rows.filter((row) => row.application === 'applied').length
}

function isAccountedFor(fate: Fate): boolean {
  const taken = fate.takenBy === fate.id && fate.resolutions === 1
  switch (fate.status) {
    case 'received':
      return fate.waitStatus === null && fate.resolutions === 0
    case 'unmatched_expired':
      return fate.ended === true && fate.resolutions === 0
    case 'wait_terminal':
      return fate.waitStatus !== null && fate.waitStatus !== 'open' && fate.resolutions === 0
    case 'accepted':
      if (fate.application === 'applied')
        return taken && fate.waitStatus === 'satisfied' && fate.entries === 1 && appliedValue(fate) === fate.data
      if (fate.application === 'rejected') return taken && fate.ended === true && fate.entries === 0
      // The step waits for another input.
      return taken && fate.waitStatus === 'matched' && fate.entries === 0 && fate.ended === false && fate.stillOpen > 0
    default:
      return false
  }
}

const appliedValue = ({ output, mode, input }: Fate) =>
  mode === 'one' ? output : isJsonObject(output) ? output[input] : undefined

const Receipts = z.object({ receipts: z.array(z.object({ receiptId: z.string().nullable() })) })

test(`${histories} histories of ${actsEach} acts: no acknowledged signal is lost, none is applied twice`, async (context) => {
  const first = randomInt(2 ** 31)
  const sum = { applied: 0, sent: 0 }
  for (let index = 0; index < histories; index++) {
    const seed = (first + index) | 0
    if (index % historiesOfAnAgent === 0) agentId = await waitingAgent(`waits-${index}`)
    try {
      const { applied, sent } = await history(seed)
      sum.applied += applied
      sum.sent += sent
    } catch (cause) {
      throw new Error(`The history with the seed ${seed} failed: ${cause instanceof Error ? cause.message : cause}`, {
        cause,
      })
    } finally {
      setRuntime(base)
    }
  }
  // Positive control: many signals reached a step, and many did not. In a short run, it is possible that none did.
  expect(sum.applied).toBeGreaterThan(sized(histories, 0))
  expect(sum.sent - sum.applied).toBeGreaterThan(histories)
  expect(runtime().database).toBe(base.database)
  countCases(context, sum.sent)
}, 7_200_000)
