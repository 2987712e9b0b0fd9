import type { ExportJob } from '#lib/schemas/evidence.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { listContainsErased } from './erasures/erasures-store.ts'
import { exportView, type ViewedExport } from './view.ts'

/** Returns exports as the API shows them, in the same order. */
export async function exportViewsOf(
  tx: Transaction,
  tenant: Tenant,
  rows: readonly ViewedExport[],
): Promise<ExportJob[]> {
  const requesters = rows.map((row) => row.requestedBy)
  const ids = rows.map((row) => row.id)
  const [actorOf, containsErased] = await Promise.all([
    actorsById(tx, tenant.id, requesters),
    listContainsErased(tx, tenant.id, ids),
  ])
  return rows.map((row) => exportView(row, actorOf, tenant, containsErased))
}

export async function exportViewOf(tx: Transaction, tenant: Tenant, row: ViewedExport): Promise<ExportJob> {
  const [view] = await exportViewsOf(tx, tenant, [row])
  if (view === undefined) throw new Error('One export has one view.')
  return view
}
