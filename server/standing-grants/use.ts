import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { decimal } from '#lib/rules/cost.ts'
import { matchOf } from '#lib/rules/standing-grants/match.ts'
import { findPayload } from '#server/approvals/store.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { settleBudgets } from '#server/policies/budgets/settle-budgets.ts'
import type { PolicyDecision } from '#server/policies/decisions/decide.ts'
import { maskedArguments } from '#server/policies/decisions/mask-arguments.ts'
import { findGroup } from '#server/tenants/group-store.ts'
import { requireSeatsBound } from '#server/tenants/provider/require-seats.ts'
import { findActiveGrants, type GrantRow, insertUse, takeUse } from './store.ts'
import { rulesIn } from './terms.ts'

/** A call for which a decision requires an approval. `arguments`: before the decision's masks. */
export type HeldCall = {
  agent: { id: string; name: string }
  releaseId: string
  environment: string
  /** "server/tool". */
  resource: string
  arguments: JsonObject
  executionId: string | null
}

/** `decision`: the one by which the call continues. `use` is undefined if it forbids the call after all. */
export type Standing = { decision: PolicyDecision; use: GrantUsed | undefined }
/** `approvalId`: the request by which people approved the grant. */
export type GrantUsed = { grantId: string; approvalId: string; number: number; of: number }

/**
 * Lets a call run that one person of one group would have to approve, by an active grant that it is like. `again` decides
 * a second time, as if that person had approved, so that what a policy forbids stays forbidden and budgets are reserved. Takes the use
 * in this transaction, which runs the call. Undefined if a person must decide.
 */
export async function decideByGrant(
  tx: Transaction,
  tenant: Tenant,
  call: HeldCall,
  { effect, approval, masks, policies }: PolicyDecision,
  again: (tokens: string[]) => Promise<PolicyDecision>,
): Promise<Standing | undefined> {
  if (effect !== 'require_approval' || approval === undefined) return undefined
  if (approval.later !== undefined || approval.quorum > 1) return undefined
  const found = await findLike(tx, tenant, call, { group: approval.group, masks, policies })
  if (found === undefined) return undefined
  await requireAsLogged(tx, tenant.id, found.grant)
  const decision = await again(approval.tokens)
  if (decision.effect === 'deny') return { decision, use: undefined }
  // Another group must approve as well.
  if (decision.effect === 'require_approval') return undefined
  const same = canonicalJson(maskedArguments(call.arguments, decision.masks)) === canonicalJson(found.leaving)
  const use = same ? await takeOne(tx, tenant, call, found, decision) : undefined
  if (use !== undefined) return { decision, use }
  await settleBudgets(tx, tenant.id, { decisionId: decision.decisionId, attempt: 1 }, { made: 'no' })
  return undefined
}

type Found = { grant: GrantRow; micros: bigint | null; leaving: JsonObject }

async function findLike(
  tx: Transaction,
  tenant: Tenant,
  call: HeldCall,
  decided: { group: string } & Pick<PolicyDecision, 'masks' | 'policies'>,
): Promise<Found | undefined> {
  const { releaseId, environment, resource } = call
  const grants = await findActiveGrants(tx, tenant.id, { agentId: call.agent.id, releaseId, environment, resource })
  if (grants.length === 0) return undefined
  const group = await findGroup(tx, tenant.id, decided.group)
  const leaving = maskedArguments(call.arguments, decided.masks)
  const asked = canonicalJson(decided.policies.map((policy) => ({ ...policy })))
  for (const grant of grants) {
    if (grant.groupId !== group?.id || canonicalJson(grant.policies as JsonValue) !== asked) continue
    const payload = await findPayload(tx, tenant.id, grant.approvalId)
    // Its content was erased, so it is unknown what it covers.
    const rules = payload === undefined ? undefined : rulesIn(payload)
    const match = rules === undefined ? undefined : matchOf(rules, leaving)
    if (match !== undefined) return { grant, micros: match.micros, leaving }
  }
  return undefined
}

/** Refuses a grant, or the standing of one of its two people, that anyone but this server has written. */
async function requireAsLogged(tx: Transaction, tenantId: string, grant: GrantRow): Promise<void> {
  const people = [grant.proposedBy, ...(grant.approvedBy === null ? [] : [grant.approvedBy])]
  await Promise.all([
    requireBound(tx, tenantId, 'standing_grant', [grant.id]),
    requireBound(tx, tenantId, 'approval', [grant.approvalId]),
    requireBound(tx, tenantId, 'member', people),
    requireSeatsBound(tx, tenantId, grant.groupId, people),
  ])
}

async function takeOne(
  tx: Transaction,
  tenant: Tenant,
  { agent, executionId }: HeldCall,
  { grant, micros }: Found,
  { decisionId }: PolicyDecision,
): Promise<GrantUsed | undefined> {
  // A ceiling keeps amounts far below what a number represents exactly.
  const taken = await takeUse(tx, tenant.id, grant.id, micros === null ? null : Number(micros))
  if (taken === undefined) return undefined
  const { uses: number, maxUses: of, status } = taken
  const auditId = newId()
  const amount = micros === null ? undefined : decimal(micros)
  await insertUse(tx, {
    tenantId: tenant.id,
    grantId: grant.id,
    number,
    decisionId,
    executionId,
    micros: micros === null ? null : Number(micros),
    auditId,
  })
  await appendAudit(tx, tenant, {
    auditId,
    actor: { type: 'agent', id: agent.id, name: agent.name },
    action: 'standing_grant.used',
    resource: { type: 'standing_grant', id: grant.id },
    details: {
      number,
      of,
      decisionId,
      executionId: executionId ?? undefined,
      amount,
      currency: grant.currency ?? undefined,
      ...(status === 'used_up' && { usedUp: true }),
    },
  })
  return { grantId: grant.id, approvalId: grant.approvalId, number, of }
}
