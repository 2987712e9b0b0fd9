import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/**
 * Requests of earlier versions with all of these arguments are about the object that one of the arguments names, so they stay among the
 * earlier decisions on it. One that is being decided right now follows with the next request.
 */
export async function moveToObject(
  tx: Transaction,
  tenantId: string,
  earlierDigest: string,
  objectDigest: string | null,
): Promise<void> {
  await sql`
    update approvals set object_digest = ${objectDigest}
    where tenant_id = ${tenantId} and id in (
      select id from approvals where tenant_id = ${tenantId} and object_digest = ${earlierDigest} for update skip locked)`.execute(
    tx,
  )
}
