import { executionQueue } from '#server/executions/execution-queue.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { countRunning, findNextQueued } from './concurrency-store.ts'

/** A place may also get free by a commit that this transaction does not see: a queued execution looks again by itself. */
const lookAgainSeconds = 5

const placeOf = ({ tenant, row }: Loaded) => ({
  tenantId: tenant.id,
  agentId: row.agentId,
  environment: row.environment,
})

/**
 * Whether a queued execution may begin: of one agent and environment at most `limits.concurrency` run. Those that wait do
 * not count, and one that goes on after a wait is not held back.
 */
export async function mayBegin(tx: Transaction, loaded: Loaded): Promise<boolean> {
  const limit = loaded.content.spec.limits.concurrency
  if (limit === undefined || (await countRunning(tx, placeOf(loaded))) < limit) return true
  const job = { tenantId: loaded.tenant.id, id: loaded.row.id }
  await runtime().queue.enqueue(tx, executionQueue, job, { seconds: lookAgainSeconds })
  return false
}

/** Gives the place of an execution that does not run any more to the one that was queued first. */
export async function beginNext(tx: Transaction, loaded: Loaded): Promise<void> {
  if (loaded.content.spec.limits.concurrency === undefined) return
  const next = await findNextQueued(tx, placeOf(loaded))
  if (next !== undefined) await runtime().queue.enqueue(tx, executionQueue, { tenantId: loaded.tenant.id, id: next.id })
}
