import { EndBindingInput, EndBindingOutput } from '#lib/schemas/policies.ts'
import { withdrawProposal } from '#server/approvals/proposal.ts'
import { mutation } from '#server/kernel/operation.ts'
import { bindingProposal } from './binding.ts'

/** proposed → withdrawn: its approval is canceled and can no longer be decided. */
export const withdrawBinding = mutation({
  permission: 'binding:propose',
  input: EndBindingInput,
  output: EndBindingOutput,
  audit: (input) => ({
    action: 'policy_binding.withdrawn',
    resource: { type: 'policy_binding', id: input.id },
    reason: input.reason,
  }),
  run: (context) => withdrawProposal(bindingProposal, context),
})
