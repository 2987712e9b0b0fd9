import { openTask } from '#server/executions/runtimes/open-task.ts'
import { journal } from '#server/executions/state/journal.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { endStopped, tellStop } from './stop.ts'

/**
 * Stops an execution that has not ended: at once if it waits or has not started, otherwise within seconds. Throws Fenced when
 * it has changed since it was loaded.
 */
export async function requestStop(tx: Transaction, loaded: Loaded, reason: string): Promise<void> {
  const { tenant, row } = loaded
  const execution = { tenantId: tenant.id, id: row.id, revision: row.revision }
  const revision = await journal(tx, execution, { stopReason: reason }, [{ type: 'execution.stop_requested' }])
  // A waiting execution may also have an open task with its agent.
  if (loaded.status === 'running' || openTask(loaded) !== undefined)
    await tellStop(tx, tenant.id, { id: row.id, isA2a: loaded.content.spec.runtime.a2a !== undefined })
  else await endStopped(tx, { ...loaded, row: { ...row, revision, stopRequestedAt: row.now, stopReason: reason } })
}
