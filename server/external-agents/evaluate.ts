import { ApiError, notFound } from '#lib/errors.ts'
import { EvaluateInput, EvaluateOutput } from '#lib/schemas/external-agents.ts'
import { findGrant, spendApproval } from '#server/approvals/spend.ts'
import { budgetsOf, withBudgets } from '#server/executions/steps/call-records.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { approvalTokens } from '#server/policies/decisions/decide.ts'
import { answerOf, auditedDecision, decideExternal, externalCall, externalPayload } from './call.ts'
import { decideByStandingGrant } from './standing-grant.ts'

/**
 * Requests a decision for an external agent. With `approvalId`, the approval is spent on exactly these bytes in this transaction,
 * so that `allow` permits one call; without it, a standing grant may take its place. `allow` also reserves the budgets; `policies.settle` reports the actual usage, and until then
 * the full reservation counts.
 */
export const evaluate = mutation({
  permission: 'execution:start',
  contained: true,
  input: EvaluateInput,
  output: EvaluateOutput,
  audit: (input, output) => ({
    action: 'policy.evaluated',
    ...auditedDecision(input, output, {
      ...(output && withBudgets(budgetsOf(output.obligations))),
      approvalId: input.approvalId,
      standingGrantId: output?.standingGrantId,
    }),
  }),
  async run({ tx, tenant, principal, input: { approvalId, ...call }, unforeseen }) {
    const context = { tx, tenant, principal }
    const external = await externalCall(context, call)
    const first = await decideExternal(context, external, await granted(), { withCommit: unforeseen === undefined })
    const standing =
      approvalId === undefined ? await decideByStandingGrant(context, external, first.decision) : undefined
    const { decision, leaving } = standing ?? first
    const answer = answerOf(decision)
    if (decision.effect === 'deny') return answer
    // Spent before anything else, even when another group must still approve: an approval is used once.
    if (approvalId !== undefined) {
      const payload = externalPayload(context, external, leaving, decision)
      if (!(await spendApproval(tx, tenant.id, approvalId, payload)))
        throw refuse('digest_mismatch', 'The call differs from the approved one, or its approval was already used.')
    }
    return {
      ...answer,
      ...(decision.effect === 'allow' ? { arguments: leaving } : {}),
      approvalId,
      standingGrantId: standing?.use?.grantId,
    }

    async function granted(): Promise<string[]> {
      if (approvalId === undefined) return []
      const approval = await findGrant(tx, tenant.id, approvalId)
      if (approval === undefined || approval.kind !== 'external_call' || approval.decisionId === null)
        throw notFound('No request for the approval of a call has this approvalId.')
      if (approval.status === 'pending') throw new ApiError('not_ready', 'This request has not been decided yet.')
      if (approval.status !== 'approved') throw refuse('policy_denied', `The request was ${approval.status}.`)
      return await approvalTokens(tx, tenant.id, approval.decisionId)
    }
  },
})
