import { erasedText } from '#lib/rules/erased.ts'
import { insertErased } from '#server/kernel/content/erased-store.ts'
import { lockHolds } from '#server/kernel/content/removal-store.ts'
import type { Finder } from '#server/kernel/content/subject.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { contentHolds, removeContent } from './content.ts'
import { findClaims, listForErasure, setContentRemoved } from './erase-store.ts'
import { lockDigest } from './store.ts'

const batchSize = 100

/**
 * Removes name and content of each file whose name, or whose bytes read as text, contain the subject; if `owners` are
 * given, only of those that they use. Each file has its own transaction, which includes `note`. Compressed or encrypted
 * content is not searched (see docs/privacy.md). Size, type and digest stay.
 */
export async function eraseFiles(
  tenantId: string,
  { holds, erasureId, owners }: { holds: Finder; erasureId: string; owners: string[] | undefined },
  note: (tx: Transaction) => Promise<void>,
): Promise<{ held: number; unreadable: string[]; waitsFor: string[] }> {
  const { database } = runtime()
  const left = { held: 0, unreadable: [] as string[], waitsFor: [] as string[] }
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after
    const files = await database.inTenant(tenantId, (tx) =>
      listForErasure(tx, tenantId, { after: from, owners, limit: batchSize }),
    )
    for (const file of files) {
      if (file.name === undefined) left.unreadable.push(`files/${file.id}`)
      const named = file.name !== undefined && holds(file.name)
      if (!named && !(await contentHolds(tenantId, file.sha256, holds))) continue
      await database.inTenant(tenantId, async (tx) => {
        await lockDigest(tx, tenantId, file.sha256)
        // Bytes on disk can't be restored by a rollback, so that no hold may be placed after this check.
        await lockHolds(tx, tenantId)
        const { held, live } = await findClaims(tx, tenantId, file.id)
        if (held) left.held += 1
        else if (live.length > 0) left.waitsFor.push(...live)
        else if (await remove(tx, tenantId, file, erasureId)) await note(tx)
      })
    }
    after = files.length < batchSize ? undefined : files.at(-1)?.id
  }
  return left
}

async function remove(
  tx: Transaction,
  tenantId: string,
  { id, sha256 }: { id: string; sha256: string },
  erasureId: string,
): Promise<boolean> {
  const gone = await setContentRemoved(tx, tenantId, { id, sha256, name: erasedText })
  if (gone === undefined) return false
  await insertErased(tx, tenantId, erasureId, [{ resource: 'file', resourceId: id, texts: 1 }])
  // Before the commit: if the commit fails, the next run finds the name again and no content.
  if (!gone.shared) await removeContent(tenantId, sha256)
  return true
}
