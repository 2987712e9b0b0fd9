import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** How long a place is remembered after the last success there. */
const remembered = sql<Date>`now() - interval '30 days'`

export async function isKnownPlace(tx: Transaction, tenantId: string, digest: Buffer): Promise<boolean> {
  const row = await tx
    .selectFrom('knownPlaces')
    .select('seenAt')
    .where('tenantId', '=', tenantId)
    .where('digest', '=', digest)
    .where('seenAt', '>', remembered)
    .executeTakeFirst()
  return row !== undefined
}

/** Records a success, at most one row version a day. */
export async function insertPlace(tx: Transaction, tenantId: string, digest: Buffer): Promise<void> {
  await tx
    .insertInto('knownPlaces')
    .values({ tenantId, digest })
    .onConflict((conflict) =>
      conflict
        .columns(['tenantId', 'digest'])
        .doUpdateSet({ seenAt: sql<Date>`now()` })
        .where('knownPlaces.seenAt', '<', sql<Date>`now() - interval '1 day'`),
    )
    .execute()
}

export async function deleteForgottenPlaces(tx: Transaction, tenantId: string): Promise<void> {
  await tx.deleteFrom('knownPlaces').where('tenantId', '=', tenantId).where('seenAt', '<=', remembered).execute()
}
