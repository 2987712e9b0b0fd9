import { ApiError, notFound } from '#lib/errors.ts'
import { EndBindingInput, EndBindingOutput } from '#lib/schemas/policies.ts'
import { mutation } from '#server/kernel/operation.ts'
import { findBinding, setBindingEnded } from './binding-store.ts'

/** active → revoked: from the next decision on it has no part. Where nothing else is bound, everything is denied then. */
export const revokeBinding = mutation({
  permission: 'binding:revoke',
  input: EndBindingInput,
  output: EndBindingOutput,
  audit: (input) => ({
    action: 'policy_binding.revoked',
    resource: { type: 'policy_binding', id: input.id },
    reason: input.reason,
  }),
  async run({ tx, tenant, input }) {
    const binding = await findBinding(tx, tenant.id, input.id)
    if (binding === undefined) throw notFound()
    if (!(await setBindingEnded(tx, tenant.id, input.id, input.expectedRevision, ['active', 'revoked'])))
      throw new ApiError(
        binding.status === 'active' ? 'revision_conflict' : 'conflict',
        `The binding is ${binding.status}, revision ${binding.revision}.`,
        { details: { status: binding.status, revision: binding.revision } },
      )
    return { id: input.id, status: 'revoked' as const, revision: input.expectedRevision + 1 }
  },
})
