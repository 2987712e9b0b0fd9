import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { lockMember } from '../member-store.ts'
import { deleteNamed, findNamed, insertNamed, type MappingSource } from './mapping-store.ts'

/** As long as the names in `group_mappings`: a longer one can't be mapped, and is left out. */
export const maxGroupName = 256

/** What changed, for the audit record of the caller: names of groups. */
export type NamedChange = { joined: string[]; left: string[] }

/**
 * Sets the provider's groups that `source` names for a member; those of the other source stay. Names that no approver group is mapped
 * to are stored too, and count as soon as one is. Locks the member. The caller records the returned change in the audit log.
 */
export async function setMappedGroups(
  tx: Transaction,
  tenantId: string,
  { memberId, source, names }: { memberId: string; source: MappingSource; names: readonly string[] },
): Promise<NamedChange> {
  await lockMember(tx, tenantId, memberId)
  const before = await findNamed(tx, tenantId, source, memberId)
  const wanted = usableNames(names)
  const left = before.filter(({ name }) => !wanted.includes(name))
  const joined = wanted.filter((name) => !before.some((row) => row.name === name))
  for (const { id } of left) await deleteNamed(tx, tenantId, id)
  for (const name of joined) await insertNamed(tx, { tenantId, id: newId(), memberId, source, name })
  return { joined, left: left.map(({ name }) => name) }
}

/** Distinct names that the database can store and a mapping can have. */
export const usableNames = (names: readonly string[]): string[] =>
  [...new Set(names)].filter((name) => name !== '' && [...name].length <= maxGroupName && !name.includes('\0'))
