import type { ReviewerFacts } from '#lib/rules/approvals.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findGroupsOf } from '#server/tenants/directory.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { identityLink } from './identities.ts'
import { type ApprovalRow, findGroupNames, findVotesOf } from './store.ts'

type Row = NonNullable<ApprovalRow>

/** What decides whether `principal` may decide `approval` (lib/rules/approvals.ts). */
export async function reviewerFacts(
  tx: Transaction,
  tenant: Tenant,
  principal: Principal,
  approval: Row,
): Promise<ReviewerFacts> {
  const [facts] = await reviewerFactsOfAll(tx, tenant, principal, [approval])
  if (facts === undefined) throw new Error('unreachable: one row in, one out')
  return facts
}

/** The same for a page of requests, with a fixed number of statements. */
export async function reviewerFactsOfAll(
  tx: Transaction,
  tenant: Tenant,
  principal: Principal,
  approvals: readonly Row[],
): Promise<ReviewerFacts[]> {
  const settings = settingsOf(tenant)
  const groups = new Set((await findGroupsOf(tx, tenant.id, principal.memberId)).map((group) => group.id))
  const names = new Map((await findGroupNames(tx, tenant.id)).map((group) => [group.id, group.displayName]))
  const votes = await findVotesOf(
    tx,
    tenant.id,
    principal.memberId,
    approvals.map((approval) => approval.id),
  )
  const voted = new Set(votes.map((vote) => `${vote.approvalId} ${vote.escalationLevel}`))
  const facts: ReviewerFacts[] = []
  for (const approval of approvals)
    facts.push({
      status: approval.status,
      expired: approval.expired,
      mayDecide: principal.permissions.has('approval:decide'),
      machine: principal.kind !== 'person',
      machineDecisions: settings.machineDecisions,
      separationOfDuties: settings.separationOfDuties,
      identityLink: await identityLink(tx, tenant.id, principal.memberId, approval.identities),
      inGroup: groups.has(approval.groupId),
      groupName: names.get(approval.groupId) ?? 'the approver group',
      voted: voted.has(`${approval.id} ${approval.escalationLevel}`),
    })
  return facts
}
