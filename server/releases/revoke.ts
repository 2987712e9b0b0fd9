import { EndReleaseInput, EndReleaseOutput } from '#lib/schemas/agents.ts'
import { revokeProposal } from '#server/approvals/proposal.ts'
import { mutation } from '#server/kernel/operation.ts'
import { releaseProposal } from './release.ts'

/** active → revoked: nothing new starts under it, and what runs ends at its next governed call. */
export const revoke = mutation({
  permission: 'release:revoke',
  input: EndReleaseInput,
  output: EndReleaseOutput,
  audit: (input) => ({
    action: 'release.revoked',
    resource: { type: 'release', id: input.id },
    reason: input.reason,
  }),
  run: (context) => revokeProposal(releaseProposal, context),
})
