import { ApiError, notFound } from '#lib/errors.ts'
import { CancelApprovalInput, CancelApprovalOutput } from '#lib/schemas/external-agents.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { cancelRequest } from './cancel-request.ts'
import { hasMade } from './question-store.ts'
import { lockApproval } from './store.ts'

/** pending → canceled, by the requester, for a request without a subject of its own. Others end together with their subject. */
export const cancel = mutation({
  permission: 'execution:start',
  input: CancelApprovalInput,
  output: CancelApprovalOutput,
  audit: (input) => ({
    action: 'approval.canceled',
    resource: { type: 'approval', id: input.approvalId },
    reason: input.reason,
  }),
  async run({ tx, tenant, principal, input, auditId }) {
    const approval = await lockApproval(tx, tenant.id, input.approvalId)
    if (approval === undefined) throw notFound()
    if (!hasMade(approval, principal.memberId))
      throw refuse('not_eligible', 'Only the requester can cancel this request.')
    if (approval.kind !== 'external_call')
      throw new ApiError(
        'conflict',
        'This request ends together with its subject. Cancel or withdraw the subject instead.',
      )
    if (input.expectedRevision !== undefined && input.expectedRevision !== approval.revision)
      throw new ApiError('revision_conflict', 'This request changed after you opened it. Reload it and try again.', {
        details: { revision: approval.revision },
      })
    if (!(await cancelRequest(tx, tenant, approval.id, auditId)))
      throw new ApiError('already_decided', 'This request has already been decided.', {
        details: { status: approval.status, revision: approval.revision },
      })
    return { approvalId: approval.id, status: 'canceled' as const, revision: approval.revision + 1 }
  },
})
