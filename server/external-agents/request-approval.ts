import { ApiError, notFound } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { stagesOf, termsOf } from '#lib/rules/approval-terms.ts'
import { describeEffect } from '#lib/rules/effect.ts'
import { maskValue } from '#lib/rules/mask.ts'
import type { Presentation } from '#lib/schemas/approvals.ts'
import { RequestApprovalInput, RequestApprovalOutput } from '#lib/schemas/external-agents.ts'
import { fillCard } from '#server/approvals/fill-card.ts'
import { requestApproval as ask } from '#server/approvals/request.ts'
import { lockForChanges, supersede } from '#server/approvals/revisions/supersede.ts'
import { presentDecision } from '#server/executions/steps/present-call.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import type { PolicyDecision } from '#server/policies/decisions/decide.ts'
import { answerOf, auditedDecision, decideExternal, type ExternalCall, externalCall, externalPayload } from './call.ts'

/**
 * Requests the approval of an external agent's call, if a policy requires one. The requester polls approvals.get until it is
 * decided and spends it with policies.evaluate.
 */
export const requestApproval = mutation({
  permission: 'execution:start',
  input: RequestApprovalInput,
  output: RequestApprovalOutput,
  audit: (input, output) => ({
    action: 'policy.approval_requested',
    ...auditedDecision(input, output, { approvalId: output?.approvalId }),
  }),
  async run({ tx, tenant, principal, input }) {
    const context = { tx, tenant, principal }
    const { supersedes } = input
    const earlier = supersedes === undefined ? undefined : await lockForChanges(tx, tenant, principal, supersedes)
    if (supersedes !== undefined && earlier?.agentId !== input.agentId)
      throw notFound('This agent did not make a request with the id in supersedes.')
    const external = await externalCall(context, input)
    const { decision, leaving } = await decideExternal(context, external, [])
    const wanted = decision.approval
    if (wanted === undefined) return answerOf(decision)
    const { approvalId, payloadDigest, expiresAt } = await ask(tx, tenant, {
      kind: 'external_call',
      subjectId: decision.decisionId,
      payload: externalPayload(context, external, leaving, decision),
      presentation: presentationOf(external, leaving, decision),
      agentId: external.agent.id,
      decisionId: decision.decisionId,
      requestedBy: principal.memberId,
      agents: [external.agent.id],
      ...termsOf(stagesOf(wanted), wanted),
    }).catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'no_eligible_approver'
        ? refuse(error.code, error.message)
        : error
    })
    if (supersedes !== undefined)
      await supersede(tx, tenant.id, supersedes, { nextId: approvalId, revisedBy: principal.memberId })
    return { ...answerOf(decision), approvalId, payloadDigest, expiresAt: expiresAt.toISOString() }
  },
})

/** The approval page's description of the call: sensitive values are masked, the rest is pinned content. */
function presentationOf(
  { call, agent, content, tool }: ExternalCall,
  leaving: JsonObject,
  decision: PolicyDecision,
): Presentation {
  const shown = maskValue(leaving, content.spec.data.sensitive) as JsonObject
  return {
    ...describeEffect(tool?.title ?? `Ask the model ${call.resource}`, shown, tool?.inputSchema),
    ...presentDecision({ content, tool, maskedArguments: shown, decision }),
    effects: [
      `${agent.displayName} is an external agent. Once approved, it can call ${call.resource} once, with exactly the arguments below.`,
      ...(tool === undefined || tool.description === ''
        ? []
        : [`The tool’s description of itself: “${tool.description}”`]),
      'Countersign does not see whether the agent makes the call.',
    ],
    onReject: 'The agent learns that the call was rejected.',
    onExpiry: 'The request expires and counts as rejected.',
    action: call.action,
    resource: call.resource,
    environment: call.environment,
    agent: { id: agent.id, name: agent.name, displayName: agent.displayName, version: content.agent.version },
    executionId: null,
    traceId: null,
    position: null,
    subject: null,
    // What an agent elsewhere knows is in its arguments.
    card: fillCard(content.spec.approvalCard, { input: shown, steps: {} }, 'facts of steps'),
  }
}
