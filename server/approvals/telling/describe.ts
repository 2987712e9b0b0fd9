import { approvalPath } from '#lib/paths.ts'
import type { Describe } from '#server/notifications/describe.ts'
import { findMembers } from '#server/tenants/store.ts'
import { findApproval } from '../store.ts'

const outcomes: Readonly<Record<string, string>> = {
  approved: 'Approved',
  rejected: 'Rejected',
}

/** A request as a message to the outside names it. */
export const describeApproval: Describe = async (tx, tenant, approvalId, { status }) => {
  const row = await findApproval(tx, tenant.id, approvalId)
  if (row === undefined) return undefined
  const { presentation, payloadDigest, requestedBy } = row
  const [requester] = await findMembers(tx, tenant.id, [requestedBy])
  const outcome = typeof status === 'string' ? outcomes[status] : undefined
  return {
    title: outcome === undefined ? presentation.title : `${outcome}: ${presentation.title}`,
    risk: presentation.risk,
    digest: payloadDigest.replace('sha256:', '').slice(0, 8),
    path: approvalPath(tenant.externalId, approvalId),
    ...(requester !== undefined && { requestedBy: requester.displayName }),
  }
}
