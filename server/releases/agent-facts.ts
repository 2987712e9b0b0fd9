import { durationSeconds } from '#lib/duration.ts'
import type { ReleaseContent } from './content.ts'

/** The facts about a released agent for the decision point. Tools are named `server/tool`. */
export function agentFacts({ agent, spec }: ReleaseContent) {
  const { group, quorum, expiresAfter } = spec.governance.approvals
  return {
    id: agent.id,
    name: agent.name,
    version: agent.version,
    lifecycle: 'released' as const,
    riskTier: spec.risk?.tier ?? null,
    allowedTools: spec.tools.flatMap((entry) => entry.allow.map((name) => `${entry.mcp.server}/${name}`)),
    requireApproval: spec.tools.flatMap((entry) => entry.requireApproval.map((name) => `${entry.mcp.server}/${name}`)),
    approvals: {
      group: group ?? 'change-approvers',
      quorum: quorum ?? 1,
      expiresAfterSeconds: durationSeconds(expiresAfter ?? 'P1D') ?? 86_400,
    },
    sensitive: spec.data.sensitive.map(({ path, class: className }) => ({ path, class: className })),
  }
}
