import { EndReleaseInput, EndReleaseOutput } from '#lib/schemas/agents.ts'
import { withdrawProposal } from '#server/approvals/proposal.ts'
import { mutation } from '#server/kernel/operation.ts'
import { releaseProposal } from './release.ts'

/** proposed → withdrawn: its approval is canceled and can no longer be decided. */
export const withdraw = mutation({
  permission: 'release:propose',
  input: EndReleaseInput,
  output: EndReleaseOutput,
  audit: (input) => ({
    action: 'release.withdrawn',
    resource: { type: 'release', id: input.id },
    reason: input.reason,
  }),
  run: (context) => withdrawProposal(releaseProposal, context),
})
