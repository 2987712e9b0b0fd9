import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { removeContent, removeStaleParts } from './content.ts'
import { deleteUnused, findUnused, lockDigest } from './store.ts'

const batchSize = 100
const stalePartMs = 24 * 3600 * 1000

/** Removes files that no execution has used within a week. A used file stays as long as the execution. */
export async function purgeFiles(tenantId: string): Promise<void> {
  const { database } = runtime()
  for (const file of await database.inTenant(tenantId, (tx) => findUnused(tx, tenantId, batchSize)))
    await database.inTenant(tenantId, async (tx) => {
      await lockDigest(tx, tenantId, file.sha256)
      const last = await deleteUnused(tx, tenantId, file)
      if (last === undefined) return
      await appendAudit(tx, await tenantById(tx, tenantId), {
        actor: systemActor,
        action: 'file.expired',
        resource: { type: 'file', id: file.id },
        details: { digest: `sha256:${file.sha256}` },
      })
      if (last) await removeContent(tenantId, file.sha256)
    })
  await removeStaleParts(tenantId, stalePartMs)
}
