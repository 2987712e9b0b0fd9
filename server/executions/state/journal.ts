import type { Transaction } from '#server/kernel/db/database.ts'
import { notify, topicOf } from '#server/kernel/db/notify.ts'
import { changeExecution, type ExecutionChange, type NewEvent } from './change-store.ts'

/** One entry: what happened, at which step. `data` must already be masked, because members read the journal. */
export type JournalEntry = NewEvent

/** Another worker or a member changed the execution first, so this transaction must be rolled back. */
export class Fenced extends Error {}

/**
 * Changes an execution, writes its journal in the same statement, and returns the new revision. Throws Fenced, which rolls the
 * transaction back, when the revision has changed; with `whileAllowed` also when the agent may no longer run, or when the time
 * has run out by the database's clock.
 */
export async function journal(
  tx: Transaction,
  execution: { tenantId: string; id: string; revision: number },
  change: ExecutionChange,
  entries: readonly JournalEntry[],
  options: { whileAllowed?: boolean } = {},
): Promise<number> {
  const { id, revision } = execution
  if (!(await changeExecution(tx, execution, change, entries, options)))
    throw new Fenced(`Execution ${id} is no longer at revision ${revision}, or may not continue.`)
  notify(tx, 'execution', topicOf(execution.tenantId, id))
  return revision + 1
}
