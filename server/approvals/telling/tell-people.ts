import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { mailNews } from '#server/mail/approval-news.ts'
import type { News } from '#server/mail/words/types.ts'
import { findMembers } from '#server/tenants/store.ts'
import type { ApprovalRow } from '../store.ts'

type Row = NonNullable<ApprovalRow>

/** Tells the people who made a request. Owners of its agent count as them, but are told only if no one else is. */
export async function tellRequester(tx: Transaction, tenant: Tenant, approval: Row, news: News): Promise<void> {
  const [requester] = await findMembers(tx, tenant.id, [approval.requestedBy])
  const ids =
    requester?.kind === 'person' ? [approval.requestedBy] : approval.identities.map(({ personId }) => personId)
  await tellMembers(tx, tenant, approval, ids, news)
}

export async function tellMembers(
  tx: Transaction,
  tenant: Tenant,
  { id, presentation }: Row,
  memberIds: readonly string[],
  news: News,
): Promise<void> {
  const members = await findMembers(tx, tenant.id, memberIds)
  const people = members.filter(({ kind, status }) => kind === 'person' && status === 'active')
  await mailNews(tx, tenant, { approvalId: id, title: presentation.title, news, people })
}
