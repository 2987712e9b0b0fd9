import { setTimeout as delay } from 'node:timers/promises'
import { executionQueue } from '#server/executions/execution-queue.ts'
import { newId } from '#server/kernel/ids.ts'
import { copyRows } from '../copy-rows.ts'
import type { Lab } from '../lab.ts'
import { closedLoop } from '../load.ts'
import { cpuSeconds, memoryMb } from '../procfs.ts'
import { type Figure, figure, number } from '../report.ts'
import { executionRunner } from './case-06-execution.ts'

const width = 8
const restMs = 10_000
const flat = 1.5
const leastTransactions = 5

/**
 * The cost of ended and waiting executions: the same execution in a database with `finished` ended ones, then the process at
 * rest with `waiting` ones, each of which has a job for its timeout.
 */
export async function manyExecutions(
  lab: Lab,
  postmaster: number,
  { finished, waiting, segmentMs }: { finished: number; waiting: number; segmentMs: number },
): Promise<Figure[]> {
  const once = await executionRunner(lab)
  const perExecution = async () => {
    const before = cpuSeconds([process.pid, postmaster], [])
    const done = await closedLoop(width, performance.now() + segmentMs, once)
    return (cpuSeconds([process.pid, postmaster], []) - before) / done
  }
  await perExecution()
  const few = await perExecution()
  await copyExecutions(lab, finished, {})
  await perExecution()
  const many = await perExecution()
  const growth = many / few

  const memoryBefore = memoryMb([process.pid]).rss
  await copyExecutions(lab, waiting, { status: 'waiting_input', output: null, ended_at: null })
  await delayedJobs(lab, waiting)
  const before = await transactions(lab)
  const cpuBefore = cpuSeconds([process.pid, postmaster], [])
  await delay(restMs)
  const perSecond = ((await transactions(lab)) - before) / (restMs / 1000)
  const cpu = (cpuSeconds([process.pid, postmaster], []) - cpuBefore) / (restMs / 1000)
  const grown = memoryMb([process.pid]).rss - memoryBefore
  return [
    figure({
      case: 6,
      job: `execution of one step with ${number(finished)} finished ones`,
      ours: `${number(many * 1000)} CPU ms`,
      peer: `${number(few * 1000)} CPU ms with few`,
      ratio: `${number(growth)}×`,
      target: `≤ ${flat}×`,
      met: growth <= flat ? 'yes' : 'no',
      data: { few, many },
    }),
    figure({
      case: 6,
      job: `at rest with ${number(waiting)} waiting executions`,
      ours: `${number(perSecond)} transactions/s`,
      target: `≤ ${leastTransactions}/s`,
      met: perSecond <= leastTransactions ? 'yes' : 'no',
      note: `${number(cpu * 100)} % of a core; ${number(grown)} MB more in this process`,
      data: { perSecond, cpu, grown },
    }),
  ]
}

/** Copies of the execution that ended last. */
const copyExecutions = (lab: Lab, count: number, change: Record<string, unknown>): Promise<void> =>
  copyRows(lab, 'executions', count, { where: `status = 'succeeded'`, change: { idempotency_key: null, ...change } })

/** Jobs that are due in a year. */
async function delayedJobs({ runtime, tenant, owner }: Lab, count: number): Promise<void> {
  const id = newId()
  const startAfter = new Date(Date.now() + 365 * 86_400_000)
  await runtime.database.inTenant(tenant.id, (tx) =>
    runtime.queue.enqueue(tx, executionQueue, { tenantId: tenant.id, id }, startAfter),
  )
  await owner.query(
    `insert into pgboss.job_common
     select (jsonb_populate_record(null::pgboss.job_common,
       to_jsonb(job) || jsonb_build_object('id', gen_random_uuid(), 'singleton_key', gen_random_uuid()))).*
     from (select * from pgboss.job_common where singleton_key = $2) job, generate_series(1, $1::integer)`,
    [count, id],
  )
  await owner.query('vacuum analyze pgboss.job_common')
}

const transactions = async ({ owner }: Lab): Promise<number> => {
  const { rows } = await owner.query<{ count: number }>(
    'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0]?.count)
}
