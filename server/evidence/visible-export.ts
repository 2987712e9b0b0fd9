import { ApiError, notFound } from '#lib/errors.ts'
import type { Principal } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findExport, type StoredExport } from './store.ts'

/**
 * The export, when the caller may know of it: evidence:list sees all of the tenant's, evidence:export its own. Someone
 * else's is as unknown as one that never was (404); without either permission it is 403.
 */
export async function visibleExport(
  tx: Transaction,
  tenantId: string,
  { memberId, permissions }: Pick<Principal, 'memberId' | 'permissions'>,
  exportId: string,
): Promise<StoredExport> {
  const all = permissions.has('evidence:list')
  if (!all && !permissions.has('evidence:export'))
    throw new ApiError(
      'forbidden',
      'This requires the permission evidence:list, or evidence:export for your own exports.',
      {
        details: { permission: 'evidence:list' },
      },
    )
  const row = await findExport(tx, tenantId, exportId)
  if (row === undefined || (!all && row.requestedBy !== memberId)) throw notFound()
  return row
}
