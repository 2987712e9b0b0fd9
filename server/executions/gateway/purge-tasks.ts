import { runtime } from '#server/kernel/runtime.ts'
import { deleteExpiredTasks } from './task-store.ts'

/** Removes the tasks of MCP clients that have expired. Their executions remain. */
export const purgeTasks = (tenantId: string): Promise<void> =>
  runtime().database.inTenant(tenantId, (tx) => deleteExpiredTasks(tx, tenantId))
