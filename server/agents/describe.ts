import { agentPath } from '#lib/paths.ts'
import type { Describe } from '#server/notifications/describe.ts'
import { findAgent } from './store.ts'

/** A suspended agent, as a message to the outside names it. */
export const describeAgent: Describe = async (tx, tenant, id) => {
  const row = await findAgent(tx, tenant.id, id)
  return (
    row && {
      title: `${row.displayName} was suspended`,
      ids: { agentId: id },
      outcome: 'suspended',
      path: agentPath(tenant.externalId, id),
    }
  )
}
