import { permissionsOf } from '#lib/permissions.ts'
import type { ClaimedExport } from '#server/evidence/jobs/export-claim.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { findMembers } from '#server/tenants/store.ts'
import { settingsOf } from '#server/tenants/view.ts'

/** Whether the requester of an export may still read raw payloads: a role may be taken away before a worker begins. */
export async function mayHaveRaw(tx: Transaction, { tenant, row }: ClaimedExport): Promise<boolean> {
  const [requester] = await findMembers(tx, tenant.id, [row.requestedBy])
  if (requester?.status !== 'active' || !permissionsOf(requester.roles).has('evidence:raw')) return false
  return settingsOf(await tenantById(tx, tenant.id)).unmaskSecondPerson !== 'required'
}
