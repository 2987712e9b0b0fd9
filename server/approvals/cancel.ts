import { ApiError, notFound } from '#lib/errors.ts'
import { CancelApprovalInput, CancelApprovalOutput } from '#lib/schemas/external-agents.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { cancelRequest } from './cancel-request.ts'
import { lockApproval } from './store.ts'

/** pending → canceled, by who asked, for a request that stands by itself. Others end with what they were made for. */
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
    const own = principal.memberId
    if (approval.requestedBy !== own && !approval.identities.some(({ personId }) => personId === own))
      throw refuse('not_eligible', 'Only who asked for it may cancel this request.')
    if (approval.kind !== 'external_call')
      throw new ApiError('conflict', 'This request ends with what it was made for: cancel or withdraw that.')
    if (input.expectedRevision !== undefined && input.expectedRevision !== approval.revision)
      throw new ApiError('revision_conflict', 'The request has changed since you read it.', {
        details: { revision: approval.revision },
      })
    if (!(await cancelRequest(tx, tenant, approval.id, auditId)))
      throw new ApiError('already_decided', 'This request has already been decided.', {
        details: { status: approval.status, revision: approval.revision },
      })
    return { approvalId: approval.id, status: 'canceled' as const, revision: approval.revision + 1 }
  },
})
