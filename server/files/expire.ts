import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { insertErased } from '#server/kernel/content/erased-store.ts'
import { lockHolds } from '#server/kernel/content/removal-store.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { removeContent } from './content.ts'
import { findClaims, findOutlived, setContentRemoved } from './erase-store.ts'
import { lockDigest } from './store.ts'

const batchSize = 100

/**
 * Removes name and content of files whose executions have lost their content to the tenant's retention. Size, type and
 * digest stay.
 */
export async function expireFiles(tenantId: string, before: Date): Promise<void> {
  const { database } = runtime()
  for (let more = true; more; ) {
    const files = await database.inTenant(tenantId, (tx) => findOutlived(tx, tenantId, before, batchSize))
    let removed = 0
    for (const file of files)
      await database.inTenant(tenantId, async (tx) => {
        await lockDigest(tx, tenantId, file.sha256)
        // Bytes on disk can't be restored by a rollback, so that no hold may be placed after this check.
        await lockHolds(tx, tenantId)
        const { held, live } = await findClaims(tx, tenantId, file.id)
        if (held || live.length > 0) return
        const gone = await setContentRemoved(tx, tenantId, { ...file, name: null })
        if (gone === undefined) return
        removed += 1
        await insertErased(tx, tenantId, null, [{ resource: 'file', resourceId: file.id, texts: 0 }])
        await appendAudit(tx, await tenantById(tx, tenantId), {
          actor: systemActor,
          action: 'file.expired',
          resource: { type: 'file', id: file.id },
          details: { digest: `sha256:${file.sha256}` },
        })
        if (!gone.shared) await removeContent(tenantId, file.sha256)
      })
    more = files.length === batchSize && removed > 0
  }
}
