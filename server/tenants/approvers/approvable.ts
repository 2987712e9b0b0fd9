import { ApiError } from '#lib/errors.ts'
import type { Stage } from '#lib/rules/approval-terms.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findGroup } from '../group-store.ts'
import { identitiesBehind } from '../identities.ts'
import { requireEligibleStages } from './eligible.ts'

export type StageGroup = { group: NonNullable<Awaited<ReturnType<typeof findGroup>>>; quorum: number }
export type StageGroups = [StageGroup, ...StageGroup[]]

/** The groups of the stages, of which there is at least one. Throws `no_eligible_approver` (409) when one does not exist. */
export async function groupsOf(tx: Transaction, tenantId: string, stages: readonly Stage[]): Promise<StageGroups> {
  const found: StageGroup[] = []
  for (const { group: name, quorum } of stages) {
    const group = await findGroup(tx, tenantId, name)
    if (group === undefined) throw new ApiError('no_eligible_approver', `The approver group ${name} does not exist.`)
    found.push({ group, quorum })
  }
  return found as StageGroups
}

/**
 * Why a call of an agent with these owners could not be approved now, even if a stranger starts it: undefined if it could. Members come
 * and go, so the answer may be another one tomorrow.
 */
export async function whyNotApprovable(
  tx: Transaction,
  tenant: Tenant,
  stages: readonly Stage[],
  owners: readonly string[],
): Promise<string | undefined> {
  const [one] = owners
  try {
    const groups = await groupsOf(tx, tenant.id, stages)
    const identities = one === undefined ? [] : await identitiesBehind(tx, tenant.id, { requestedBy: one, owners })
    await requireEligibleStages(tx, tenant, groups, identities)
    return undefined
  } catch (error) {
    if (error instanceof ApiError && error.code === 'no_eligible_approver') return error.message
    throw error
  }
}
