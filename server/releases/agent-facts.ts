import { durationSeconds } from '#lib/duration.ts'
import { type ApprovalTerms, termsOf } from '#lib/rules/approval-terms.ts'
import type { ReleaseContent } from './content.ts'

/** The facts about a released agent for the decision point. Tools are named `server/tool`. */
export function agentFacts({ agent, spec }: ReleaseContent) {
  return {
    id: agent.id,
    name: agent.name,
    version: agent.version,
    lifecycle: 'released' as const,
    riskTier: spec.risk?.tier ?? null,
    allowedTools: spec.tools.flatMap((entry) => entry.allow.map((name) => `${entry.mcp.server}/${name}`)),
    requireApproval: spec.tools.flatMap((entry) => entry.requireApproval.map((name) => `${entry.mcp.server}/${name}`)),
    approvals: { ...manifestTerms(spec.governance.approvals), stricter: true as const },
    sensitive: spec.data.sensitive.map(({ path, class: className }) => ({ path, class: className })),
  }
}

type Declared = ReleaseContent['spec']['governance']['approvals']

/** `governance.approvals` of a manifest, with its defaults. */
function manifestTerms(declared: Declared): ApprovalTerms {
  const { group, quorum, stages, expiresAfter, remindAt, escalateAfter, pauseOnQuestion } = declared
  const named = stages?.map((stage) => ({ group: stage.group, quorum: stage.quorum ?? 1 }))
  return termsOf(named ?? [{ group: group ?? 'change-approvers', quorum: quorum ?? 1 }], {
    expiresAfterSeconds: durationSeconds(expiresAfter ?? 'P1D') ?? 86_400,
    remindAt,
    escalateAfterSeconds: durationSeconds(escalateAfter ?? ''),
    pauseOnQuestion,
  })
}
