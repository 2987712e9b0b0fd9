import { setFound } from '#server/evidence/erasures/erasures-store.ts'
import { listScratch, removeScratch } from '#server/evidence/jobs/scratch.ts'
import { storeOf } from '#server/evidence/places/place.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { settingsOf } from '#server/tenants/view.ts'
import {
  isOnHold,
  listArchivesToDelete,
  listEndedExports,
  listExpiredArchives,
  listReleasedArchives,
  setArchiveDeleted,
} from './archives-store.ts'
import { markGone } from './mark-gone.ts'

const dayMs = 86_400_000

/**
 * Deletes archives that at `now`, a time of the database's clock, are older than the tenant's retention of archives, and those that an
 * erasure found while a hold protected them. The job, its manifest and its digests are kept. Also deletes what interrupted exports left in the store and
 * in the scratch folder of this machine. A store that can't be reached is asked again in the next round.
 */
export async function purgeArchives(tenantId: string, now: number): Promise<void> {
  const { database } = runtime()
  const settings = await database.inTenant(tenantId, async (tx) => settingsOf(await tenantById(tx, tenantId)))
  if (settings.archiveRetentionDays !== null) {
    const before = new Date(now - settings.archiveRetentionDays * dayMs)
    const expired = await database.inTenant(tenantId, (tx) => listExpiredArchives(tx, tenantId, before))
    for (const { id } of expired)
      await database.inTenant(tenantId, (tx) => markGone(tx, tenantId, id, 'retention_expired'))
  }
  await settleReleased(tenantId, settings.archivesOnErasure)
  await deleteGone(tenantId)
  await cleanScratch(tenantId)
}

/** Once the last hold on an archive is released, an erasure that found it there does what the tenant wants now. */
async function settleReleased(tenantId: string, onErasure: 'mark' | 'delete'): Promise<void> {
  const { database } = runtime()
  const released = await database.inTenant(tenantId, (tx) => listReleasedArchives(tx, tenantId))
  for (const { exportId, erasureId } of released)
    await database.inTenant(tenantId, async (tx) => {
      if (onErasure === 'delete') await markGone(tx, tenantId, exportId, 'erased', erasureId)
      // A new hold keeps the archive, and what was found in it.
      if (await isOnHold(tx, tenantId, exportId)) return
      await setFound(tx, { tenantId, erasureId, exportId, outcome: onErasure === 'delete' ? 'deleted' : 'marked' })
    })
}

/** Asks the store to delete what the table says is gone. */
export async function deleteGone(tenantId: string): Promise<void> {
  const { database, log } = runtime()
  const gone = await database.inTenant(tenantId, (tx) => listArchivesToDelete(tx, tenantId))
  for (const { id, run, archivePlace } of gone)
    try {
      await storeOf(archivePlace).remove(archivePlace ?? '', { tenantId, exportId: id, run })
      await database.inTenant(tenantId, (tx) => setArchiveDeleted(tx, tenantId, id))
    } catch (error) {
      log.warn({ err: error, exportId: id }, 'an archive could not be deleted; the next round tries again')
    }
}

async function cleanScratch(tenantId: string): Promise<void> {
  const left = await listScratch(tenantId)
  const ended = await runtime().database.inTenant(tenantId, (tx) => listEndedExports(tx, tenantId, left))
  for (const exportId of ended) await removeScratch(tenantId, exportId)
}
