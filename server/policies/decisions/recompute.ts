import { ApiError, notFound } from '#lib/errors.ts'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import { JsonObject as AnyJsonObject } from '#lib/schemas/common.ts'
import { DecisionFacts, RecomputeInput, RecomputeOutput } from '#lib/schemas/policies.ts'
import { findAgent } from '#server/agents/store.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { judgeBudgets } from '#server/policies/budgets/judge-budgets.ts'
import { outcomeOf } from './decide.ts'
import { digestOf } from './decision-digest.ts'
import { findDecision } from './decision-store.ts'
import { decidingSet } from './policy-set.ts'
import { recordedRequest, schemaReader } from './recorded-request.ts'

/**
 * Recomputes a recorded decision from the published sources, the tool's schema and the recorded request, at its original time.
 * `same` is true when the result is identical byte for byte.
 */
export const recompute = query({
  permission: 'policy:read',
  input: RecomputeInput,
  output: RecomputeOutput,
  async run({ tx, tenant, input }) {
    const row = await findDecision(tx, tenant.id, input.decisionId)
    await requireBound(tx, tenant.id, 'decision', [input.decisionId])
    if (row === undefined) throw notFound()
    if (row.request === null)
      throw new ApiError('conflict', 'The request of this decision is no longer stored, so it cannot be recomputed.')
    const agent = await findAgent(tx, tenant.id, row.agentId)
    const { effect, obligations, reasons, policies, inputDigest } = row
    const recorded = DecisionFacts.parse({ effect, obligations, reasons, policies, inputDigest })
    const { request, now, honours, budgets, whole } = await recordedRequest(schemaReader(tx, tenant.id), row.request)
    const bound = recorded.policies.filter(({ version }) => version > 0)
    const set = decidingSet(tx, tenant.id, request, bound)
    // Without recorded policies, the recorded reason shows whether no policy was bound or no rule could match.
    const governed = recorded.reasons[0]?.code !== 'policy_binding_required'
    const outcome = judgeBudgets(await outcomeOf(set, governed, request, now, honours, whole), budgets)
    const computed = DecisionFacts.parse({
      effect: outcome.effect,
      obligations: outcome.obligations,
      reasons: outcome.reasons,
      policies: outcome.asked.map(({ policyId, name, version, digest }) => ({ policyId, name, version, digest })),
      inputDigest: digestOf(AnyJsonObject.parse(row.request)),
    })
    return {
      decisionId: row.id,
      decidedAt: row.createdAt.toISOString(),
      agentId: row.agentId,
      agentName: agent?.name ?? row.agentId,
      environment: row.environment,
      executionId: row.executionId,
      stepId: row.stepId,
      action: row.action,
      resource: row.resource,
      same: bytes(recorded) === bytes(computed),
      recorded,
      computed,
    }
  },
})

const bytes = (facts: DecisionFacts): string => canonicalJson(facts as JsonObject)
