import type { Pool } from 'pg'
import { callTool, listTools, type Tool } from '#server/agents/tool-servers.ts'
import { execute } from '#server/executions/execute.ts'
import { topicOf } from '#server/kernel/db/notify.ts'
import { newId } from '#server/kernel/ids.ts'
import { governedAgent } from '../governed-agent.ts'
import { type Lab, perform } from '../lab.ts'
import { closedLoop } from '../load.ts'
import type { comparer, Side } from '../measure.ts'
import { type Figure, number, ratioFigure } from '../report.ts'

/** As many as one process works on concurrently. */
export const width = 8
const giveUpMs = 30_000

/** Its notifying commits: called, ended. Before the last one, checking would be pointless. */
const notifications = 2

// Owned by this module: a lab has one such agent.
const agents = new WeakMap<Lab, ReturnType<typeof governedAgent>>()

/** Starts one execution of a one-step agent and waits for its end, signalled by a notification and read from the table. */
export async function executionRunner(lab: Lab): Promise<() => Promise<void>> {
  const { runtime, owner, pipeline } = lab
  const known = agents.get(lab) ?? governedAgent(lab)
  agents.set(lab, known)
  const start = await known
  return async () => {
    const { executionId } = await perform(execute, pipeline, start)
    const ended = Promise.withResolvers<void>()
    const look = async () => {
      const { rows } = await owner.query<{ status: string; ended: boolean }>(
        'select status, ended_at is not null as ended from executions where id = $1',
        [executionId],
      )
      if (rows[0]?.ended !== true) return
      if (rows[0].status === 'succeeded') ended.resolve()
      else ended.reject(new Error(`The execution ended as ${rows[0].status}.`))
    }
    let heard = 0
    const off = runtime.listener.on('execution', topicOf(lab.tenant.id, executionId), () => {
      heard += 1
      if (heard >= notifications) look().catch(ended.reject)
    })
    const timer = setTimeout(() => ended.reject(new Error('The execution did not end.')), giveUpMs)
    try {
      await ended.promise
    } finally {
      clearTimeout(timer)
      off()
    }
  }
}

export async function execution(lab: Lab, compare: ReturnType<typeof comparer>): Promise<Figure[]> {
  const once = await executionRunner(lab)
  const lookup = (await listTools(lab.tenant, { server: 'payments' })).find((tool) => tool.name === 'lookup_order')
  if (lookup === undefined) throw new Error('The payments server does not offer lookup_order.')
  await lab.owner.query(`
    create table bench_workflows (id uuid primary key, input jsonb not null, status text not null, output jsonb);
    create table bench_steps (workflow uuid references bench_workflows, step text, status text not null, output jsonb,
      primary key (workflow, step))`)
  const ours: Side = { name: 'countersign', database: true, run: (deadline) => closedLoop(width, deadline, once) }
  const result = await compare(rawWorkflow(lab, lab.owner, lookup), ours, { segmentMs: 1500 })
  const note = `same MCP tool call in both; ${number(result.wall.ours)} and ${number(result.wall.peer)} per second of time`
  const job = 'execution of one step vs three commits by hand'
  const limit = 'commits on 32 connections 5–8 k/s: ⅓'
  return [ratioFigure({ case: 6, job, unit: '/CPU s', least: 0.35, limit, note }, result)]
}

/** Accepted, started, finished: one commit each, with the tool call between the last two. */
const rawWorkflow = (lab: Lab, pool: Pool, lookup: Tool): Side => ({
  name: 'three commits',
  database: true,
  run: (deadline) =>
    closedLoop(width, deadline, async () => {
      const id = newId()
      const client = await pool.connect()
      try {
        await client.query({
          name: 'accept',
          text: `insert into bench_workflows values ($1, $2, 'queued')`,
          values: [id, { orderId: 'A-1002' }],
        })
        await client.query('begin')
        await client.query({
          name: 'start',
          text: `insert into bench_steps values ($1, 'order', 'calling')`,
          values: [id],
        })
        await client.query({
          name: 'run',
          text: `update bench_workflows set status = 'running' where id = $1`,
          values: [id],
        })
        await client.query('commit')
        const result = await callTool(lab.tenant, {
          server: { server: 'payments' },
          released: lookup,
          arguments: { id: 'A-1002' },
          idempotencyKey: id,
          timeoutMs: 10_000,
        })
        await client.query('begin')
        await client.query({
          name: 'return',
          text: `update bench_steps set status = 'succeeded', output = $2 where workflow = $1`,
          values: [id, JSON.stringify(result.output)],
        })
        await client.query({
          name: 'end',
          text: `update bench_workflows set status = 'succeeded', output = $2 where id = $1`,
          values: [id, JSON.stringify(result.output)],
        })
        await client.query('commit')
      } finally {
        client.release()
      }
    }),
})
