import type { GroupMapping } from '#lib/schemas/members.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { deleteMapping, insertMapping, listMappings } from './mapping-store.ts'

/** Replaces the groups of providers that name members of an approver group, whose row the caller holds. Those that stay keep their rows. */
export async function setMappings(
  tx: Transaction,
  tenantId: string,
  groupId: string,
  wanted: readonly GroupMapping[],
): Promise<void> {
  const known = await listMappings(tx, tenantId, [groupId])
  const isIn = ({ issuer, name }: GroupMapping, list: readonly GroupMapping[]) =>
    list.some((one) => one.issuer === issuer && one.name === name)
  for (const row of known) if (!isIn(row, wanted)) await deleteMapping(tx, tenantId, row.id)
  for (const { issuer, name } of wanted)
    if (!isIn({ issuer, name }, known)) await insertMapping(tx, { tenantId, id: newId(), groupId, issuer, name })
}
