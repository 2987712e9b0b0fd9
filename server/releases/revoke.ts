import { EndReleaseInput, EndReleaseOutput } from '#lib/schemas/agents.ts'
import { revokeProposal } from '#server/approvals/proposal.ts'
import { mutation } from '#server/kernel/operation.ts'
import { releaseProposal } from './release.ts'

/** active → revoked: no new executions start under it, and running ones end at their next governed call. */
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
