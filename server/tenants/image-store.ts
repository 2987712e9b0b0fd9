import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** Keeps the bytes under their digest; the same image twice is one row. */
export async function insertImage(
  tx: Transaction,
  row: { tenantId: string; sha256: string; mediaType: string; bytes: Buffer },
): Promise<void> {
  await tx
    .insertInto('brandingImages')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Forgets the tenant's images that are not among `used`, once pages that still show them are gone. */
export async function deleteOldImages(tx: Transaction, tenantId: string, used: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('brandingImages')
    .where('tenantId', '=', tenantId)
    .where('createdAt', '<', sql<Date>`now() - interval '1 day'`)
    .$if(used.length > 0, (q) => q.where('sha256', 'not in', [...used]))
    .execute()
}

/** An image by its digest, whosever it is: images are public, and this transaction sees the named one only. */
export async function findImage(
  tx: Transaction,
  sha256: string,
): Promise<{ mediaType: string; bytes: Buffer } | undefined> {
  await sql`select set_config('app.branding_digest', ${sha256}, true)`.execute(tx)
  return await tx
    .selectFrom('brandingImages')
    .select(['mediaType', 'bytes'])
    .where('sha256', '=', sha256)
    .limit(1)
    .executeTakeFirst()
}
