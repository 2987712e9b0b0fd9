import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** Stores the bytes under their digest; storing the same image twice leaves one row. */
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

/** Deletes the tenant's images that are not in `used`, after a day in which pages may still show them. */
export async function deleteOldImages(tx: Transaction, tenantId: string, used: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('brandingImages')
    .where('tenantId', '=', tenantId)
    .where('createdAt', '<', sql<Date>`now() - interval '1 day'`)
    .$if(used.length > 0, (q) => q.where('sha256', 'not in', [...used]))
    .execute()
}

/**
 * An image by its digest, of any tenant: images are public, and this transaction can read only the image with this
 * digest.
 */
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
