import type { JsonValue } from '#lib/json.ts'
import { approvalPath } from '#lib/paths.ts'
import type { NotificationEvent } from '#lib/schemas/notifications/channels.ts'
import type { Describe } from '#server/notifications/describe.ts'
import { findMembers } from '#server/tenants/store.ts'
import { findApproval } from '../store.ts'

const titles: Readonly<Record<string, string>> = {
  approved: 'Approved',
  rejected: 'Rejected',
}

/** A request as a message to the outside names it. */
export const describeApproval: Describe = async (tx, tenant, approvalId, { status }, event) => {
  const row = await findApproval(tx, tenant.id, approvalId)
  if (row === undefined) return undefined
  const { presentation, payloadDigest, requestedBy, executionId, agentId } = row
  const [requester] = await findMembers(tx, tenant.id, [requestedBy])
  const decided = typeof status === 'string' ? titles[status] : undefined
  return {
    title: decided === undefined ? presentation.title : `${decided}: ${presentation.title}`,
    ids: { approvalId, ...(agentId !== null && { agentId }), ...(executionId !== null && { executionId }) },
    outcome: outcomeOf(event, status),
    risk: presentation.risk,
    digest: payloadDigest.replace('sha256:', '').slice(0, 8),
    path: approvalPath(tenant.externalId, approvalId),
    ...(requester !== undefined && { requestedBy: requester.displayName }),
  }
}

/** By the event, because the request may have gone on when the message is sent. */
function outcomeOf(event: NotificationEvent, status: JsonValue | undefined): string {
  if (event === 'approval.expired') return 'expired'
  return event === 'approval.decided' && typeof status === 'string' ? status : 'pending'
}
