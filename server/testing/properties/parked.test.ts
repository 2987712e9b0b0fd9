import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'
import { countCases, sized } from './counts.ts'

// A waiting execution consists only of rows: many of them need no more memory in a process than a hundred, and none is lost.

const few = 100
const many = sized(100_000, 1_000)
/** Memory is only compared at a hundred thousand executions. With fewer, the difference would not be measurable. */
const weighed = sized(true, false)

let api: TestApi
let owner: Client
beforeAll(async () => {
  api = await startApi()
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
}, 180_000)
afterAll(async () => {
  await owner.end()
  await api.close()
})

const waiting = async (): Promise<number> =>
  (
    await owner.query<{ waiting: number }>(
      `select count(*)::int as waiting from executions where status = 'waiting_input'`,
    )
  ).rows[0]?.waiting ?? 0

/** Restarts the process, makes some calls and returns the lowest of many readings of its resident memory, in kB. */
async function residentKb(): Promise<number> {
  await api.killAndRestart()
  const maria = await api.person('maria')
  for (let asked = 0; asked < 200; asked++) payload(await api.query(maria, 'executions.list', { limit: 10 }))
  const seen: number[] = []
  await until(async () => {
    const status = readFileSync(`/proc/${api.process.pid}/status`, 'utf8')
    seen.push(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN))
    return seen.length === 60 ? true : undefined
  }, 'the memory was read')
  return Math.min(...seen)
}

/**
 * Copies the rows of this waiting execution `count` times, because running each execution up to its wait would take an
 * hour. Encrypted content is bound to its row, so the copies contain none.
 */
async function clone(id: string, count: number): Promise<void> {
  const copy = (table: string, key: string, values: string) =>
    owner.query(
      `insert into ${table} select (jsonb_populate_record(x, jsonb_build_object(${values}))).*
       from ${table} x join executions e on e.id = $1 and x.${key} cross join clones c`,
      [id],
    )
  // Triggers note each changed row in a setting that grows: 100,000 spans in one statement would take more than twenty minutes.
  // The copies need no notes.
  await owner.query('set session_replication_role = replica')
  await owner.query('drop table if exists clones')
  await owner.query(
    `create temp table clones as select gen_random_uuid() as id, md5(random()::text || n) as trace, gen_random_uuid() as wait
     from generate_series(1, $1::int) n`,
    [count],
  )
  const wait = `left(encode(sha256(convert_to(c.trace || ' wait ok', 'UTF8')), 'hex'), 16)`
  await copy('executions', 'id = e.id', `'id', c.id, 'trace_id', c.trace, 'input', null`)
  await copy('execution_events', 'execution_id = e.id', `'execution_id', c.id, 'data', null`)
  await copy('execution_steps', 'execution_id = e.id', `'execution_id', c.id`)
  await copy('traces', 'trace_id = e.trace_id', `'trace_id', c.trace, 'execution_id', c.id`)
  const spanId = `case x.kind when 'wait' then ${wait} else left(c.trace, 16) end`
  const parent = `case x.kind when 'wait' then left(c.trace, 16) end`
  await copy('spans', 'trace_id = e.trace_id', `'trace_id', c.trace, 'span_id', ${spanId}, 'parent_span_id', ${parent}`)
  await copy('input_waits', 'execution_id = e.id', `'execution_id', c.id, 'id', c.wait`)
  await owner.query('reset session_replication_role')
}

test(`${many} waiting executions${weighed ? ` take no more memory than ${few}, and` : ''} continue when their input arrives`, async (context) => {
  const agentId = await releaseAgent(api, 'parked', {
    steps: [{ id: 'ok', wait: { input: 'go' } }],
    tools: {},
    more: { inputs: [{ name: 'go', ttl: 'P30D' }] },
  })
  const maria = await api.person('maria')
  const start = async () =>
    payload<{ executionId: string }>(
      await api.mutate(maria, 'executions.execute', { agentId, environment: 'production', input: {} }),
    ).executionId
  const [first, last] = [await start(), await start()]
  await until(async () => ((await waiting()) === 2 ? true : undefined), 'they wait')

  await clone(first, few - 2)
  const withFew = weighed ? await residentKb() : undefined
  await clone(first, many - few)
  expect(await waiting()).toBe(many)
  if (withFew === undefined) await api.killAndRestart()
  else {
    const withMany = await residentKb()
    expect(withMany / withFew, `${withFew} kB, then ${withMany} kB`).toBeLessThanOrEqual(1.1)
  }

  for (const id of [first, last]) {
    await api.request(await api.client('ci-pipeline'), '/v1/input-events', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': id },
      body: JSON.stringify({ correlation: { executionId: id, input: 'go' }, data: true }),
    })
    await until(async () => {
      const { status } = payload<{ status: string }>(await api.query(maria, 'executions.get', { id }))
      return status === 'succeeded' ? true : undefined
    }, `${id} went on`)
  }
  // The others still wait.
  expect(await waiting()).toBe(many - 2)
  countCases(context, many)
}, 600_000)
