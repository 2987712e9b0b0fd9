import { type Group, MappedMember } from '#lib/schemas/members.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { actorOf } from '#server/tenants/actors.ts'
import { findMappedMembersOfGroups, findMembersOfGroups } from '#server/tenants/group-store.ts'
import { listMappings } from '#server/tenants/provider/mapping-store.ts'
import { findProposed } from '../changes/store.ts'

type Row = { id: string; name: string; displayName: string; revision: number }

export async function groupViews(tx: Transaction, tenantId: string, rows: readonly Row[]): Promise<Group[]> {
  const ids = rows.map((row) => row.id)
  // Sent together: one round trip.
  const [members, mappings, mapped, proposed] = await Promise.all([
    findMembersOfGroups(tx, tenantId, ids),
    listMappings(tx, tenantId, ids),
    findMappedMembersOfGroups(tx, tenantId, ids),
    findProposed(tx, tenantId, 'group_change', ids),
  ])
  const waiting = new Map(proposed.map((row) => [row.subjectId, row]))
  return rows.map((row) => ({
    ...row,
    members: members.filter((member) => member.groupId === row.id).map(actorOf),
    mappings: mappings.filter(({ groupId }) => groupId === row.id).map(({ issuer, name }) => ({ issuer, name })),
    mappedMembers: mapped
      .filter(({ groupId }) => groupId === row.id)
      .map((member) => ({
        ...actorOf(member),
        source: MappedMember.shape.source.parse(member.source),
        group: member.name,
      })),
    pendingApprovalId: waiting.get(row.id)?.approvalId ?? null,
  }))
}
