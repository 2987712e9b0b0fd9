import { executionPath } from '#lib/paths.ts'
import type { Describe } from '#server/notifications/describe.ts'
import { findExecution } from './state/store.ts'

/** An execution that ended without success, as a message to the outside names it. */
export const describeExecution: Describe = async (tx, tenant, id, { status }) => {
  const row = await findExecution(tx, tenant.id, id)
  if (row === undefined) return undefined
  return {
    title: `An execution of ${row.agentDisplayName} ended as ${String(status).replace('_', ' ')}`,
    ids: { executionId: id, agentId: row.agentId },
    outcome: String(status),
    path: executionPath(tenant.externalId, id),
  }
}
