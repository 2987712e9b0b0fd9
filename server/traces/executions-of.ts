import { requireBound } from '#server/kernel/bound/check.ts'
import { IntegrityFailed } from '#server/kernel/bound/integrity-failed.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { listTracesOfExecutions } from './store.ts'

type TraceRow = { traceId: string; executionId: string | null; agentId: string | null }

/**
 * Throws IntegrityFailed if a trace names another execution or agent than the log does. Rows of traces are an index that nothing
 * binds to the log (decision 0054), so what they say of an execution is compared with the execution's own row, which is bound.
 */
export async function requireExecutionsOf(
  tx: Transaction,
  tenantId: string,
  traces: readonly TraceRow[],
): Promise<void> {
  const ids = traces.flatMap(({ executionId }) => executionId ?? [])
  if (ids.length === 0) return
  await requireBound(tx, tenantId, 'execution', ids)
  const executions = new Map((await listTracesOfExecutions(tx, tenantId, ids)).map((row) => [row.id, row]))
  for (const { traceId, executionId, agentId } of traces) {
    // An execution that does not exist any more: its removal is on the record.
    const execution = executions.get(executionId ?? '')
    if (execution === undefined || (execution.traceId === traceId && execution.agentId === agentId)) continue
    const reason =
      execution.traceId === traceId
        ? `Its row names another agent than its execution ${execution.id} does.`
        : `Its row names the execution ${execution.id}, which has another trace.`
    throw new IntegrityFailed({ tenantId, type: 'trace', id: traceId, reason })
  }
}
