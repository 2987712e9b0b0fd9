import type { Principal } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { listOwnExports } from './store.ts'

/** Returns the ids of those exports that the caller may see, by the rule of `visibleExport`. */
export async function visibleExportIds(
  tx: Transaction,
  tenantId: string,
  { memberId, permissions }: Pick<Principal, 'memberId' | 'permissions'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (permissions.has('evidence:list')) return new Set(ids)
  if (ids.length === 0 || !permissions.has('evidence:export')) return new Set()
  return new Set(await listOwnExports(tx, tenantId, memberId, ids))
}
