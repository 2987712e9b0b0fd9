import { z } from 'zod'
import { JcsError } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import { Obligation } from '#lib/schemas/policies.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { newSalt } from '#server/kernel/content/salt.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import type { BudgetState } from '#server/policies/budgets/budget.ts'
import { holdBudgets, keepTaken } from '#server/policies/budgets/hold-budgets.ts'
import { judgeBudgets } from '#server/policies/budgets/judge-budgets.ts'
import type { ObligationKind } from '#server/policies/language/annotations.ts'
import type { DecidingPolicy, DecidingSet } from './deciding-set.ts'
import { digestOf } from './decision-digest.ts'
import {
  findDecision,
  insertDecision,
  insertDecisionIfCurrent,
  type StoredDecision,
  storedDecision,
  writeDecisionIfCurrent,
} from './decision-store.ts'
import { denied, evaluateRequest, type Outcome } from './evaluate-request.ts'
import { tokensAfter } from './obligations.ts'
import { boundTo, decidingSet, type Kept, lastBoundTo } from './policy-set.ts'
import { actionOf, type GovernedRequest, resourceOf } from './request.ts'

export type PolicyDecision = Outcome & {
  decisionId: string
  inputDigest: string
  /** The policies that could match, in order; the manifest's own rules come last, as version 0 of policy `manifest`. */
  policies: DecidingPolicy[]
}

/** The outcome under the shadow bindings; recorded with the decision, without effect. */
export type ShadowOutcome = Pick<Outcome, 'effect' | 'obligations' | 'reasons'> & { policies: DecidingPolicy[] }

/** The obligations that a caller fulfils by default. A rule with any other obligation denies. */
export const usual: readonly ObligationKind[] = ['approval', 'mask', 'budget']

/**
 * The decision point: may this agent make this call now? It denies by default and on any failure, and forbid takes precedence;
 * it throws only when the database does. Every decision is recorded with everything needed to recompute it. `allow` reserves
 * the budgets in this transaction. The caller settles them when the call has ended (settle-budgets.ts), applies `masks` to the
 * outgoing arguments, and asks for a new decision after an approval. `foreseen`: what `decideAhead` has made of the same request.
 * `withCommit`: the decision may be recorded with the COMMIT, which throws Unforeseen when the tenant's bindings have changed. Only for an
 * operation that has written nothing before, and is then run again without it.
 */
export async function decide(
  tx: Transaction,
  tenant: Tenant,
  call: GovernedRequest,
  { foreseen, withCommit = false }: { foreseen?: DecisionAhead | undefined; withCommit?: boolean } = {},
): Promise<PolicyDecision> {
  const { request, now, bare, ahead, decideBy, rowOf } = deciding(tx, tenant, call)
  const known = foreseen ?? (await ahead())
  if (known !== undefined && (await (withCommit ? known.recordWithCommit(tx) : known.recordIfCurrent(tx))))
    return known.decision
  const { made: ruled, shadow } = await decideBy(await boundTo(tx, tenant.id, request.agent, request.environment))
  const { states, taken } = await holdBudgets(tx, tenant.id, request, ruled)
  const input = states.length === 0 ? bare : recordable(request, now, usual, states)
  const { decisionId, policies } = ruled
  const made = { ...judgeBudgets(ruled, states), decisionId, policies, inputDigest: input.digest }
  await insertDecision(tx, rowOf(made, shadow, input))
  await keepTaken(tx, tenant.id, decisionId, taken)
  return made
}

/** A decision by the bindings cached in this process, which is not recorded yet. */
export type DecisionAhead = {
  decision: PolicyDecision
  /** When it was made, as performance.now() in milliseconds. */
  madeAt: number
  /** One statement. False, without recording it, when the tenant's bindings have changed: nothing may be done by it then. */
  recordIfCurrent(tx: Transaction): Promise<boolean>
  /** The same in one write with the COMMIT, which throws Unforeseen instead; at once for values that the database would write otherwise. */
  recordWithCommit(tx: Transaction): Promise<boolean>
  /** For a statement that does more: what it records, if `bindings` is the revision of the tenant's bindings. */
  stored(tx: Transaction): Promise<StoredDecision & { bindings: string | undefined }>
}

/**
 * The decision that `decide` is going to make unless the bindings change, so that its record can be sent in one write with what follows
 * from it. Undefined if the bindings are not cached or budgets must be reserved.
 */
export const decideAhead = (
  tx: Transaction,
  tenant: Tenant,
  request: GovernedRequest,
): Promise<DecisionAhead | undefined> => deciding(tx, tenant, request).ahead()

function deciding(tx: Transaction, tenant: Tenant, given: GovernedRequest) {
  const request: GovernedRequest = { ...given, exact: true }
  const now = new Date()
  const madeAt = performance.now()
  const bare = recordable(request, now, usual)
  return { request, now, bare, ahead, aheadOf, decideBy, rowOf }

  async function ahead(): Promise<DecisionAhead | undefined> {
    const known = lastBoundTo(tenant.id, request.agent, request.environment)
    return known && aheadOf(await decideBy(known), known.revision)
  }

  /** Undefined if it reserves budgets, for which the bindings must be current. */
  function aheadOf(
    { made, shadow }: Awaited<ReturnType<typeof decideBy>>,
    bindings: string | undefined,
  ): DecisionAhead | undefined {
    if (made.budgets.length > 0) return undefined
    const decision = { ...made, inputDigest: bare.digest }
    // The insert checks in the same statement that the bindings are still current.
    const row = () => rowOf(decision, shadow, bare)
    return {
      decision,
      madeAt,
      recordIfCurrent: (tx) => insertDecisionIfCurrent(tx, row(), bindings),
      recordWithCommit: (tx) => writeDecisionIfCurrent(tx, row(), bindings),
      stored: async (tx) => ({ ...(await storedDecision(tx, row())), bindings }),
    }
  }

  async function decideBy(bound: Kept) {
    const set = decidingSet(tx, tenant.id, request, bound.enforced, bound.keys.enforced)
    const [outcome, shadow] = await Promise.all([
      outcomeOf(set, bound.enforced.length > 0, request, now, usual, bare.whole),
      shadowOf(bound),
    ])
    return { made: { ...outcome, decisionId: newId(), policies: outcome.asked.map(facts) }, shadow }
  }

  function rowOf(made: PolicyDecision, shadow: ShadowOutcome | null, input: Recordable) {
    return {
      tenantId: tenant.id,
      id: made.decisionId,
      agentId: request.agent.id,
      releaseId: request.releaseId,
      executionId: request.executionId ?? null,
      stepId: request.stepId ?? null,
      requestedBy: request.requestedBy ?? null,
      environment: request.environment,
      action: actionOf(request),
      resource: resourceOf(request),
      effect: made.effect,
      obligations: made.obligations,
      reasons: made.reasons,
      policies: made.policies,
      shadow,
      request: input.value,
      inputDigest: made.inputDigest,
    }
  }

  async function shadowOf(bound: Kept): Promise<ShadowOutcome | null> {
    if (bound.shadow === undefined) return null
    const set = decidingSet(tx, tenant.id, request, bound.shadow, bound.keys.shadow)
    const shadowed = await outcomeOf(set, bound.shadow.length > 0, request, now, usual, bare.whole)
    const { effect, obligations, reasons, asked } = shadowed
    return { effect, obligations, reasons, policies: asked.map(facts) }
  }
}

/**
 * Predicts the effect of `decide` by the bindings cached in this process, without recording anything or reserving a budget.
 * The caller must still call `decide` before acting on it, or record `ahead`, which is the decision if it reserves no budget.
 */
export async function foresee(
  tx: Transaction,
  tenant: Tenant,
  request: GovernedRequest,
): Promise<{ effect: Outcome['effect']; ahead?: DecisionAhead | undefined }> {
  const { aheadOf, decideBy } = deciding(tx, tenant, request)
  const bound =
    lastBoundTo(tenant.id, request.agent, request.environment) ??
    (await boundTo(tx, tenant.id, request.agent, request.environment))
  const decided = await decideBy(bound)
  const ahead = aheadOf(decided, bound.revision)
  if (ahead !== undefined) return { effect: ahead.decision.effect, ahead }
  const { made } = decided
  // With require_approval, budgets are read but not reserved.
  const asking = made.effect === 'allow' ? { ...made, effect: 'require_approval' as const } : made
  const { states } = await holdBudgets(tx, tenant.id, request, asking)
  return { effect: judgeBudgets(made, states).effect }
}

/** `bound`: without a bound policy every call is denied, whatever the manifest says. */
export async function outcomeOf(
  set: DecidingSet,
  bound: boolean,
  request: GovernedRequest,
  now: Date,
  honours: readonly ObligationKind[],
  whole: boolean,
): Promise<Outcome> {
  if (!whole)
    return { ...denied('request_invalid', 'The arguments hold a value that cannot be bound to a digest.'), asked: [] }
  if (!bound)
    return {
      ...denied('policy_binding_required', 'No active policy binding governs this agent in this environment.'),
      asked: [],
    }
  return await evaluateRequest(set, request, now, honours)
}

const facts = ({ policyId, name, version, digest }: DecidingPolicy): DecidingPolicy => ({
  policyId,
  name,
  version,
  digest,
})

/** True when a policy is enforced on the agent in the environment. */
export async function hasActiveBinding(
  tx: Transaction,
  tenantId: string,
  agent: { id: string; version: string },
  environment: string,
  read?: { revision: string | undefined },
): Promise<boolean> {
  return (await boundTo(tx, tenantId, agent, environment, read)).enforced.length > 0
}

/**
 * `fulfilled` for the next decision on the same request, after the approval that decision `decisionId` required was granted.
 * Throws for an unknown decision. A decision that required no approval adds nothing.
 */
export async function approvalTokens(tx: Transaction, tenantId: string, decisionId: string): Promise<string[]> {
  const row = await findDecision(tx, tenantId, decisionId)
  if (row === undefined) throw new Error('An approval refers to a decision that does not exist.')
  const { fulfilled } = Before.parse(row.request)
  return tokensAfter(fulfilled, z.array(Obligation).parse(row.obligations))
}

/** The member who asked for a decision on behalf of an external agent; null for other decisions. */
export const decisionAskedBy = async (tx: Transaction, tenantId: string, decisionId: string) =>
  (await findDecision(tx, tenantId, decisionId))?.requestedBy

const Before = z.object({ fulfilled: z.array(z.string()) })

type Recordable = { value: JsonObject; digest: string; whole: boolean }

/**
 * The request as it is recorded, and its digest. A tool's schema is stored once, by its digest; arguments without a canonical
 * form (JCS) are left out.
 */
function recordable(
  request: GovernedRequest,
  now: Date,
  honours: readonly ObligationKind[],
  budgets: readonly BudgetState[] = [],
): Recordable {
  const more = {
    now: now.toISOString(),
    honours: [...honours],
    ...(budgets.length === 0 ? {} : { budgets: budgets.map((state) => ({ ...state })) }),
    // The digest is visible where the arguments are not, so a salt keeps them from being guessed.
    salt: newSalt(),
  }
  const value: JsonObject = { ...withoutSchema(request), ...more }
  try {
    return { value, digest: digestOf(value), whole: true }
  } catch (error) {
    if (!(error instanceof JcsError)) throw error
    const { arguments: _left, ...rest } = value
    return { value: rest, digest: digestOf(rest), whole: false }
  }
}

function withoutSchema(request: GovernedRequest): JsonObject {
  if (!('tool' in request)) return { ...request }
  const { inputSchema: _kept, ...tool } = request.tool
  return { ...request, tool }
}
