import type { Transaction } from '#server/kernel/db/database.ts'
import { notify, topicOf } from '#server/kernel/db/notify.ts'
import { storeCallBegin, storeEnd } from './call-store.ts'
import { changeExecution, type ExecutionChange, type NewEvent } from './change-store.ts'

/** One entry: what happened, at which step. `data` must already be masked, because members read the journal. */
export type JournalEntry = NewEvent

/** Another worker or a member changed the execution first, so this transaction must be rolled back. */
export class Fenced extends Error {}

/** The bindings have changed since the decision that this transaction was going to act on, so it must be rolled back. */
export class DecidedByOldBindings extends Error {}

const fenced = (id: string, revision: number): Fenced =>
  new Fenced(`Execution ${id} is no longer at revision ${revision}, or may not continue.`)

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
  if (!(await changeExecution(tx, execution, change, entries, options))) throw fenced(id, revision)
  notify(tx, 'execution', topicOf(execution.tenantId, id))
  return revision + 1
}

/** Begins a call and writes its journal in one statement, and returns the new revision. Throws Fenced as `journal` does. */
export async function journalCall(
  tx: Transaction,
  execution: { tenantId: string; id: string; revision: number },
  begin: Parameters<typeof storeCallBegin>[2],
): Promise<number> {
  const outcome = await storeCallBegin(tx, execution, begin)
  if (outcome === 'old bindings') throw new DecidedByOldBindings('The tenant’s policy bindings have changed.')
  return noted(tx, execution, begin.traceId, outcome === 'begun' ? 'done' : outcome)
}

/** Ends a call, an execution, or both, in one statement with the journal. Throws Fenced as `journal` does. */
export async function journalEnd(
  tx: Transaction,
  execution: { tenantId: string; id: string; revision: number },
  end: Parameters<typeof storeEnd>[2],
): Promise<number> {
  return noted(tx, execution, end.spans?.traceId, await storeEnd(tx, execution, end))
}

function noted(
  tx: Transaction,
  { tenantId, id, revision }: { tenantId: string; id: string; revision: number },
  traceId: string | undefined,
  outcome: 'done' | 'no trace' | 'changed',
): number {
  if (outcome === 'no trace') throw new Error(`The trace ${traceId} was never started.`)
  if (outcome === 'changed') throw fenced(id, revision)
  announce(tx, tenantId, id, traceId)
  return revision + 1
}

/** Notifies the readers of an execution and of its trace with the COMMIT. */
export function announce(tx: Transaction, tenantId: string, id: string, traceId: string | undefined): void {
  notify(tx, 'execution', topicOf(tenantId, id))
  if (traceId !== undefined) notify(tx, 'trace', topicOf(tenantId, traceId))
}
