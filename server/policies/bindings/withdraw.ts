import { ApiError, notFound } from '#lib/errors.ts'
import { EndBindingInput, EndBindingOutput } from '#lib/schemas/policies.ts'
import { cancelRequest, holdRequest } from '#server/approvals/cancel-request.ts'
import { mutation } from '#server/kernel/operation.ts'
import { findBinding, setBindingEnded } from './binding-store.ts'

/** proposed → withdrawn: its request is canceled, and nobody decides it any more. */
export const withdrawBinding = mutation({
  permission: 'binding:propose',
  input: EndBindingInput,
  output: EndBindingOutput,
  audit: (input) => ({
    action: 'policy_binding.withdrawn',
    resource: { type: 'policy_binding', id: input.id },
    reason: input.reason,
  }),
  async run({ tx, tenant, input, auditId }) {
    const seen = await findBinding(tx, tenant.id, input.id)
    if (seen === undefined) throw notFound()
    await holdRequest(tx, tenant.id, seen.approvalId)
    const binding = (await findBinding(tx, tenant.id, input.id)) ?? seen
    if (!(await setBindingEnded(tx, tenant.id, input.id, input.expectedRevision, ['proposed', 'withdrawn'])))
      throw new ApiError(
        binding.status === 'proposed' ? 'revision_conflict' : 'conflict',
        `The binding is ${binding.status}, revision ${binding.revision}.`,
        { details: { status: binding.status, revision: binding.revision } },
      )
    // After the binding: it is not proposed any more, so that its request's end changes nothing about it.
    await cancelRequest(tx, tenant, binding.approvalId, auditId)
    return { id: input.id, status: 'withdrawn' as const, revision: input.expectedRevision + 1 }
  },
})
