import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { reviewerFacts } from '#server/approvals/reviewer.ts'
import { type ApprovalRow, findApproval, findGrant, findPayload } from '#server/approvals/store.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { DecidingPolicy } from '#server/policies/decisions/deciding-set.ts'
import { findDecision } from '#server/policies/decisions/decision-store.ts'
import { findReleased } from '#server/releases/released-store.ts'

/** The approved call that a grant is proposed from. */
export type Source = {
  approval: NonNullable<ApprovalRow>
  /** What ran, unmasked. */
  arguments: JsonObject
  resource: string
  environment: string
  agentId: string
  /** The active release of the agent, if the call belongs to it. */
  release: { id: string; digest: string; tier: string | undefined } | undefined
  /** Those that required its approval. */
  policies: DecidingPolicy[]
}

/** A request, and the call that it is about; undefined for an unknown request. */
export async function findSource(
  tx: Transaction,
  tenant: Tenant,
  approvalId: string,
): Promise<{ approval: NonNullable<ApprovalRow>; source: Source | undefined } | undefined> {
  const [approval] = await Promise.all([
    findApproval(tx, tenant.id, approvalId),
    requireBound(tx, tenant.id, 'approval', [approvalId]),
  ])
  if (approval === undefined) return undefined
  return { approval, source: await callOf(tx, tenant, approval) }
}

const isCall = ({ kind }: NonNullable<ApprovalRow>): boolean => kind === 'tool_call' || kind === 'external_call'

async function callOf(
  tx: Transaction,
  tenant: Tenant,
  approval: NonNullable<ApprovalRow>,
): Promise<Source | undefined> {
  if (!isCall(approval)) return undefined
  const payload = await findPayload(tx, tenant.id, approval.id)
  const { agentId } = approval
  const { action, arguments: args, resource, environment, release: digest } = payload ?? {}
  if (action !== 'ToolCall' || !isJsonObject(args) || agentId === null) return undefined
  if (typeof resource !== 'string' || typeof environment !== 'string') return undefined
  const decisionId = (await findGrant(tx, tenant.id, approval.id))?.decisionId ?? undefined
  const decision = decisionId === undefined ? undefined : await findDecision(tx, tenant.id, decisionId)
  const { release: active } = await findReleased(tx, { tenantId: tenant.id, agentId, environment })
  const release = active?.digest === digest ? active : undefined
  return {
    approval,
    arguments: args,
    resource,
    environment,
    agentId,
    release: release && {
      id: release.id,
      digest: release.digest,
      tier: release.content.spec.risk?.tier,
    },
    policies: (decision?.policies ?? []) as DecidingPolicy[],
  }
}

const grantable: readonly unknown[] = ['low', 'medium']

/** Why this person can't propose a grant from the request, if so. The rules hold whatever the tenant's settings are. */
export async function whyNotPropose(
  tx: Transaction,
  tenant: Tenant,
  principal: Principal,
  approval: NonNullable<ApprovalRow>,
  source: Source | undefined,
): Promise<string | undefined> {
  if (source === undefined)
    return isCall(approval) && (await findPayload(tx, tenant.id, approval.id)) === undefined
      ? 'The arguments of this call were erased or deleted by age, so nothing can be compared with them.'
      : 'Only calls of tools can have a standing grant.'
  if (approval.status !== 'approved') return 'A standing grant is proposed from an approved call.'
  if (approval.quorum > 1 || (approval.terms?.stages.length ?? 1) > 1)
    return 'These calls need more than one person, and a standing grant would replace them.'
  if (approval.escalationLevel > 0) return 'This call was escalated, so a person decides calls like it.'
  if (source.release === undefined) return 'The release of this call is no longer active.'
  if (source.release.tier === undefined)
    return 'The agent’s manifest does not state its risk. Standing grants need a low or medium one.'
  if (!grantable.includes(source.release.tier))
    return `Calls of ${source.release.tier} risk need a person each. Standing grants are for low and medium risk.`
  if (principal.kind !== 'person') return 'Only people can propose a standing grant.'
  const facts = await reviewerFacts(tx, tenant, principal, approval)
  if (!facts.mayDecide) return 'You need the permission approval:decide to propose a standing grant.'
  if (!facts.inGroup) return `Only members of ${facts.groupName} can propose a standing grant from this request.`
  if (facts.identityLink !== undefined) return `You ${facts.identityLink}, so someone else must propose it.`
  return undefined
}
