import { executionQueue } from '#server/executions/execution-queue.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { countRunning, findNextQueued } from './concurrency-store.ts'

/** A slot may be freed by a commit that this transaction does not see, so a queued execution checks again by itself. */
const lookAgainSeconds = 5

const placeOf = ({ tenant, row }: Loaded) => ({
  tenantId: tenant.id,
  agentId: row.agentId,
  environment: row.environment,
})

/**
 * Whether a queued execution may start: at most `limits.concurrency` run per agent and environment. Waiting executions do not
 * count, and one that continues after a wait is not held back.
 */
export async function mayBegin(tx: Transaction, loaded: Loaded): Promise<boolean> {
  const limit = loaded.content.spec.limits.concurrency
  if (limit === undefined || (await countRunning(tx, placeOf(loaded))) < limit) return true
  const job = { tenantId: loaded.tenant.id, id: loaded.row.id }
  await runtime().queue.enqueue(tx, executionQueue, job, { seconds: lookAgainSeconds })
  return false
}

/** Passes the slot of an execution that no longer runs to the one queued first. */
export async function beginNext(tx: Transaction, loaded: Loaded): Promise<void> {
  if (loaded.content.spec.limits.concurrency === undefined) return
  const next = await findNextQueued(tx, placeOf(loaded))
  if (next !== undefined) await runtime().queue.enqueue(tx, executionQueue, { tenantId: loaded.tenant.id, id: next.id })
}
