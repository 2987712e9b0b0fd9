import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** An agent in one environment, to which `limits.concurrency` applies. */
export type Place = { tenantId: string; agentId: string; environment: string }

/** The number of running executions. A lock until commit prevents two executions from taking the last slot. */
export async function countRunning(tx: Transaction, { tenantId, agentId, environment }: Place): Promise<number> {
  const key = `concurrency ${tenantId} ${agentId} ${environment}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx)
  const row = await tx
    .selectFrom('executions')
    .select((e) => e.fn.countAll<number>().as('running'))
    .where('tenantId', '=', tenantId)
    .where('agentId', '=', agentId)
    .where('environment', '=', environment)
    .where('status', '=', 'running')
    .where('endedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return row.running
}

/** The execution that has been queued longest. */
export const findNextQueued = (tx: Transaction, { tenantId, agentId, environment }: Place) =>
  tx
    .selectFrom('executions')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('agentId', '=', agentId)
    .where('environment', '=', environment)
    .where('status', '=', 'queued')
    .where('endedAt', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
