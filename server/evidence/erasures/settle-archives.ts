import { isExportUnderWay, type KeptArchive, listArchivesToSearch } from '#server/evidence/retention/archives-store.ts'
import { markGone } from '#server/evidence/retention/mark-gone.ts'
import { deleteGone } from '#server/evidence/retention/purge-archives.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { setFound } from './erasures-store.ts'
import { archiveHolds } from './search-archive.ts'

/**
 * The last step of an erasure: finds the archives that hold the subject, lists them, and deletes or marks them as the tenant
 * has chosen. An archive under a legal hold is listed and kept. False: an archive is being made, which may contain what was
 * just erased, so the erasure has to wait. A repetition after a crash continues with the archives that are left.
 */
export async function settleArchives(tenantId: string, erasureId: string, subject: string): Promise<boolean> {
  const { database } = runtime()
  if (await database.inTenant(tenantId, (tx) => isExportUnderWay(tx, tenantId))) return false
  const archives = await database.inTenant(tenantId, (tx) => listArchivesToSearch(tx, tenantId, erasureId))
  for (const archive of archives)
    if (await archiveHolds(tenantId, archive, subject))
      await database.inTenant(tenantId, (tx) => settle(tx, tenantId, erasureId, archive))
  await deleteGone(tenantId)
  return true
}

async function settle(tx: Transaction, tenantId: string, erasureId: string, { id, held }: KeptArchive): Promise<void> {
  const tenant = await tenantById(tx, tenantId)
  const { archivesOnErasure } = settingsOf(tenant)
  const deleted = !held && archivesOnErasure === 'delete' && (await markGone(tx, tenantId, id, 'erased', erasureId))
  // Not deleted although the tenant wants that: a hold was placed in the meantime.
  const outcome = deleted ? 'deleted' : held || archivesOnErasure === 'delete' ? 'held' : 'marked'
  await setFound(tx, { tenantId, erasureId, exportId: id, outcome })
  if (!deleted)
    await appendAudit(tx, tenant, {
      actor: systemActor,
      action: 'evidence_export.contains_erased',
      resource: { type: 'evidence_export', id },
      details: { erasureId, outcome },
    })
}
