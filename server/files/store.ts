import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { fileName, nameContext } from './file-name.ts'

/** Locks the content of this digest against being stored or removed by others until commit. */
export async function lockDigest(tx: Transaction, tenantId: string, sha256: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`file ${tenantId} ${sha256}`}, 0))`.execute(tx)
}

export async function insertFile(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    sha256: string
    bytes: number
    name: string
    mediaType: string
    createdBy: string
  },
): Promise<{ createdAt: Date }> {
  const name = (await tenantCipher(tx, row.tenantId)).encryptJson(row.name, nameContext(row.id))
  return await tx
    .insertInto('files')
    .values({ ...row, name })
    .returning('createdAt')
    .executeTakeFirstOrThrow()
}

export async function findFiles(tx: Transaction, tenantId: string, ids: readonly string[]) {
  const rows = await tx
    .selectFrom('files')
    .select(['id', 'sha256', 'bytes', 'name', 'mediaType', 'contentRemovedAt'])
    .where('tenantId', '=', tenantId)
    .where('id', 'in', [...ids])
    .execute()
  const cipher = await tenantCipher(tx, tenantId)
  return rows.map((row) => ({ ...row, name: fileName(cipher, row) }))
}

export async function insertUses(
  tx: Transaction,
  tenantId: string,
  executionId: string,
  role: 'input' | 'output',
  fileIds: readonly string[],
): Promise<void> {
  await tx
    .insertInto('fileUses')
    .values(fileIds.map((fileId) => ({ tenantId, fileId, executionId, role })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Files older than a week that no execution uses, in small batches. */
export const findUnused = (tx: Transaction, tenantId: string, limit: number) =>
  tx
    .selectFrom('files as file')
    .select(['file.id', 'file.sha256', 'file.bytes'])
    .where('file.tenantId', '=', tenantId)
    .where('file.createdAt', '<', sql<Date>`clock_timestamp() - interval '7 days'`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('fileUses as used')
            .select('used.fileId')
            .whereRef('used.tenantId', '=', 'file.tenantId')
            .whereRef('used.fileId', '=', 'file.id'),
        ),
      ),
    )
    .orderBy('file.createdAt')
    .limit(limit)
    .execute()

/**
 * Deletes a file that is still unused; true if no other file has its content. Undefined if an execution has used it
 * since.
 */
export async function deleteUnused(
  tx: Transaction,
  tenantId: string,
  { id, sha256 }: { id: string; sha256: string },
): Promise<boolean | undefined> {
  const gone = await tx
    .deleteFrom('files')
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('fileUses as used')
            .select('used.fileId')
            .where('used.tenantId', '=', tenantId)
            .where('used.fileId', '=', id),
        ),
      ),
    )
    .executeTakeFirst()
  if (gone.numDeletedRows === 0n) return undefined
  const other = await tx
    .selectFrom('files')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('sha256', '=', sha256)
    .limit(1)
    .executeTakeFirst()
  return other === undefined
}
