import type { JsonObject } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { type ExecutionChange, insertEvents, setExecution } from './store.ts'

/** One entry: what happened, at which step. `data` is masked before it gets here: people read the journal. */
export type JournalEntry = { type: string; stepId?: string; data?: JsonObject }

/** Another worker or person changed the execution first: this transaction must leave no trace. */
export class Fenced extends Error {}

/** Changes an execution and writes its journal in one transaction. Throws Fenced, which rolls it back. Gives the new revision. */
export async function journal(
  tx: Transaction,
  execution: { tenantId: string; id: string; revision: number },
  change: ExecutionChange,
  entries: readonly JournalEntry[],
): Promise<number> {
  const { tenantId, id, revision } = execution
  const first = await setExecution(tx, tenantId, id, revision, change, entries.length)
  if (first === undefined) throw new Fenced(`Execution ${id} is no longer at revision ${revision}.`)
  await insertEvents(
    tx,
    entries.map((entry, index) => ({
      tenantId,
      executionId: id,
      seq: first + index,
      type: entry.type,
      stepId: entry.stepId ?? null,
      data: entry.data ?? {},
    })),
  )
  notify(tx, 'execution', id)
  return revision + 1
}
