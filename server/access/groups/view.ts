import type { Group } from '#lib/schemas/members.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { actorOf } from '#server/tenants/actors.ts'
import { findMembersOfGroups } from '#server/tenants/group-store.ts'
import { findProposed } from '../changes/store.ts'

type Row = { id: string; name: string; displayName: string; revision: number }

export async function groupViews(tx: Transaction, tenantId: string, rows: readonly Row[]): Promise<Group[]> {
  const ids = rows.map((row) => row.id)
  const members = await findMembersOfGroups(tx, tenantId, ids)
  const waiting = new Map((await findProposed(tx, tenantId, 'group_change', ids)).map((row) => [row.subjectId, row]))
  return rows.map((row) => ({
    ...row,
    members: members.filter((member) => member.groupId === row.id).map(actorOf),
    pendingApprovalId: waiting.get(row.id)?.approvalId ?? null,
  }))
}
