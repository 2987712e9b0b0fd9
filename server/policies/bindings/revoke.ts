import { EndBindingInput, EndBindingOutput } from '#lib/schemas/policies.ts'
import { revokeProposal } from '#server/approvals/proposal.ts'
import { mutation } from '#server/kernel/operation.ts'
import { bindingProposal } from './binding.ts'

/** active → revoked, effective from the next decision. If no other policy is bound, every call is then denied. */
export const revokeBinding = mutation({
  permission: 'binding:revoke',
  input: EndBindingInput,
  output: EndBindingOutput,
  audit: (input) => ({
    action: 'policy_binding.revoked',
    resource: { type: 'policy_binding', id: input.id },
    reason: input.reason,
  }),
  run: (context) => revokeProposal(bindingProposal, context),
})
