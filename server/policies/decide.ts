import { createHash } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson, JcsError } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import { Obligation } from '#lib/schemas/policies.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { denied, evaluateRequest, type Outcome, tokensAfter } from './evaluate-request.ts'
import { manifestPolicy } from './manifest-rules.ts'
import type { ToolCallRequest } from './request.ts'
import type { DecidingPolicy } from './soft-forbid.ts'
import { findDecision, insertDecision, listEnforcedPolicies } from './store.ts'

export type { ToolCallRequest } from './request.ts'
export { hasActiveBinding } from './store.ts'

export type PolicyDecision = Outcome & {
  decisionId: string
  inputDigest: string
  /** What decided, in order; the manifest's own rules last, as version 0 of policy `manifest`. */
  policies: { policyId: string; name: string; version: number; digest: string }[]
}

/**
 * The decision point: may this agent make this call now? Default deny, forbid wins, any failure denies; it throws only when
 * the database does. Every answer is recorded with what is needed to compute it again.
 */
export async function decide(tx: Transaction, tenant: Tenant, request: ToolCallRequest): Promise<PolicyDecision> {
  const now = new Date()
  const bound = await listEnforcedPolicies(tx, tenant.id, request.agent.id, request.environment)
  const manifest = manifestPolicy(request.agent)
  const policies: DecidingPolicy[] = manifest === undefined ? bound : [...bound, manifest]
  const input = recordable({ ...request, now: now.toISOString() })
  const outcome = await outcomeOf()
  const decision = {
    ...outcome,
    decisionId: newId(),
    inputDigest: input.digest,
    policies: policies.map(({ policyId, name, version, digest }) => ({ policyId, name, version, digest })),
  }
  await insertDecision(tx, {
    tenantId: tenant.id,
    id: decision.decisionId,
    agentId: request.agent.id,
    releaseId: request.releaseId,
    executionId: request.executionId,
    stepId: request.stepId,
    environment: request.environment,
    action: 'ToolCall',
    resource: `${request.tool.server}/${request.tool.name}`,
    effect: decision.effect,
    obligations: decision.obligations,
    reasons: decision.reasons,
    policies: decision.policies,
    request: input.value,
    inputDigest: decision.inputDigest,
  })
  return decision

  async function outcomeOf(): Promise<Outcome> {
    if (!input.whole) return denied('request_invalid', 'The arguments hold a value that cannot be bound to a digest.')
    if (bound.length === 0)
      return denied('policy_binding_required', 'No active policy binding governs this agent in this environment.')
    return await evaluateRequest(policies, request, now)
  }
}

/**
 * `fulfilled` for the next decision on the same request, once the approval that `decisionId` asked for has been granted.
 * Throws when there is no such decision. A decision that asked for nothing adds nothing.
 */
export async function approvalTokens(tx: Transaction, tenantId: string, decisionId: string): Promise<string[]> {
  const { request, obligations } = await findDecision(tx, tenantId, decisionId)
  const { fulfilled } = Before.parse(request)
  return tokensAfter(fulfilled, z.array(Obligation).parse(obligations))
}

const Before = z.object({ fulfilled: z.array(z.string()) })

/** The request as it is recorded, and its digest. Arguments without a canonical form (JCS) are left out. */
function recordable(request: ToolCallRequest & { now: string }): { value: JsonObject; digest: string; whole: boolean } {
  try {
    return { value: request, digest: digestOf(request), whole: true }
  } catch (error) {
    if (!(error instanceof JcsError)) throw error
    const { arguments: _left, ...rest } = request
    return { value: rest, digest: digestOf(rest), whole: false }
  }
}

const digestOf = (value: JsonObject): string =>
  `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`
