import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { fileName, nameContext } from './file-name.ts'

/**
 * Files whose content is still stored, ordered by id and starting after `after`; if `owners` are given, only those that
 * they use.
 */
export async function listForErasure(
  tx: Transaction,
  tenantId: string,
  { after, owners, limit }: { after: string; owners: readonly string[] | undefined; limit: number },
) {
  const rows = await tx
    .selectFrom('files')
    .select(['id', 'sha256', 'bytes', 'name'])
    .where('tenantId', '=', tenantId)
    .where('contentRemovedAt', 'is', null)
    .$if(after !== '', (q) => q.where('id', '>', after))
    .$if(owners !== undefined, (q) =>
      q.where('id', 'in', (e) =>
        e
          .selectFrom('fileUses')
          .select('fileId')
          .where('tenantId', '=', tenantId)
          .where(sql<boolean>`execution_id = any(${[...(owners ?? [])]}::uuid[])`),
      ),
    )
    .orderBy('id')
    .limit(limit)
    .execute()
  const cipher = await tenantCipher(tx, tenantId)
  return rows.map((row) => ({ ...row, name: readableName(cipher, row) }))
}

/** Undefined if it can't be decrypted. */
function readableName(cipher: TenantCipher, row: { id: string; name: Buffer | null }): string | undefined {
  try {
    return fileName(cipher, row)
  } catch {
    return undefined
  }
}

/**
 * Whether a legal hold covers a file, by its day or by an execution that uses it, and which of these executions are
 * still running.
 */
export async function findClaims(
  tx: Transaction,
  tenantId: string,
  id: string,
): Promise<{ held: boolean; live: string[] }> {
  const { rows } = await sql<{ held: boolean; live: string[] }>`
    select exists (select 1 from legal_holds h where h.tenant_id = f.tenant_id and h.released_at is null
        and ((f.created_at at time zone 'UTC')::date between h.from_day and h.to_day
          or exists (select 1 from file_uses u join executions e on e.tenant_id = u.tenant_id and e.id = u.execution_id
            where u.tenant_id = f.tenant_id and u.file_id = f.id
              and (h.trace_id = e.trace_id or (e.created_at at time zone 'UTC')::date between h.from_day and h.to_day)))) as held,
      array(select distinct e.id::text from file_uses u join executions e on e.tenant_id = u.tenant_id and e.id = u.execution_id
        where u.tenant_id = f.tenant_id and u.file_id = f.id and e.ended_at is null) as live
    from files f where f.tenant_id = ${tenantId} and f.id = ${id}`.execute(tx)
  return rows[0] ?? { held: false, live: [] }
}

/**
 * Replaces the name, or keeps only its commitment for null, and marks the content as removed. Returns whether another file still has the same content;
 * undefined if the content was removed before.
 */
export async function setContentRemoved(
  tx: Transaction,
  tenantId: string,
  { id, sha256, name }: { id: string; sha256: string; name: string | null },
): Promise<{ shared: boolean } | undefined> {
  const encrypted =
    name === null
      ? sql<Buffer | null>`content_stub(name)`
      : (await tenantCipher(tx, tenantId)).encryptJson(name, nameContext(id))
  const { numUpdatedRows } = await tx
    .updateTable('files')
    .set({ name: encrypted, contentRemovedAt: sql<Date>`clock_timestamp()` })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('contentRemovedAt', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return undefined
  const other = await tx
    .selectFrom('files')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('sha256', '=', sha256)
    .where('contentRemovedAt', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return { shared: other !== undefined }
}

/** Files from before `before` that were used only by executions whose content has been removed; oldest first. */
export const findOutlived = (tx: Transaction, tenantId: string, before: Date, limit: number) =>
  tx
    .selectFrom('files as file')
    .select(['file.id', 'file.sha256'])
    .where('file.tenantId', '=', tenantId)
    .where('file.contentRemovedAt', 'is', null)
    .where('file.createdAt', '<', before)
    .where(
      sql<boolean>`exists (select 1 from file_uses u where u.tenant_id = file.tenant_id and u.file_id = file.id)
        and not exists (select 1 from file_uses u join executions e on e.tenant_id = u.tenant_id and e.id = u.execution_id
          where u.tenant_id = file.tenant_id and u.file_id = file.id and not content_gone(e.input))`,
    )
    .orderBy('file.createdAt')
    .limit(limit)
    .execute()
