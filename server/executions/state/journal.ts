import type { Transaction } from '#server/kernel/db/database.ts'
import { notify, topicOf } from '#server/kernel/db/notify.ts'
import { changeExecution, type ExecutionChange, type NewEvent } from './change-store.ts'

/** One entry: what happened, at which step. `data` is masked before it gets here: people read the journal. */
export type JournalEntry = NewEvent

/** Another worker or person changed the execution first: this transaction must leave no trace. */
export class Fenced extends Error {}

/**
 * Changes an execution and writes its journal in one statement. Throws Fenced, which rolls the transaction back; with
 * `whileAllowed` also when its agent may not run any more, or its time is over by the database's clock. Gives the new
 * revision.
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
    throw new Fenced(`Execution ${id} is no longer at revision ${revision}, or may not go on.`)
  notify(tx, 'execution', topicOf(execution.tenantId, id))
  return revision + 1
}
