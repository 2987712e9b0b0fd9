import { ApiError, notFound } from '#lib/errors.ts'
import { whyNotDecide } from '#lib/rules/approvals.ts'
import { RequestChangesInput, RequestChangesOutput } from '#lib/schemas/approvals/revisions.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { reviewerFacts } from '../reviewer.ts'
import { lockApproval, setDecided } from '../store.ts'
import { tellRequester } from '../telling/tell-people.ts'
import { insertRevision } from './revision-store.ts'

/**
 * Ends a request about a call as canceled, with the changes that a reviewer wants. Until its deadline, those who made it can
 * propose other arguments, which are a new request without votes.
 */
export const requestChanges = mutation({
  permission: 'approval:decide',
  input: RequestChangesInput,
  output: RequestChangesOutput,
  audit: (input) => ({
    action: 'approval.changes_requested',
    resource: { type: 'approval', id: input.approvalId },
    reason: input.reason,
  }),
  async run({ tx, tenant, principal, input, auditId }) {
    const { approvalId, reason, expectedRevision } = input
    const approval = await lockApproval(tx, tenant.id, approvalId)
    if (approval === undefined) throw notFound()
    await requireBound(tx, tenant.id, 'approval', [approvalId])
    const blocked = whyNotDecide(await reviewerFacts(tx, tenant, principal, approval))
    if (blocked?.code === 'already_decided')
      throw new ApiError('already_decided', blocked.message, { details: { status: approval.status } })
    if (blocked !== undefined) throw refuse(blocked.code, blocked.message)
    if (approval.kind !== 'tool_call' && approval.kind !== 'external_call')
      throw new ApiError('conflict', 'Only calls of agents can be changed. Reject this request with a reason instead.')
    if (expectedRevision !== undefined && expectedRevision !== approval.revision)
      throw new ApiError('revision_conflict', 'This request changed after you opened it. Reload it and try again.', {
        details: { revision: approval.revision },
      })
    await setDecided(tx, tenant.id, approvalId, approval.revision, 'canceled', auditId)
    // Its subject is not told: the execution waits for the changes until the deadline.
    await insertRevision(tx, { tenantId: tenant.id, approvalId, requestedBy: principal.memberId, reason, auditId })
    await tellRequester(tx, tenant, approval, 'changes_requested')
    notify(tx, 'approval', tenant.id)
    return { approvalId, status: 'canceled' as const, auditId, revision: approval.revision + 1 }
  },
})
