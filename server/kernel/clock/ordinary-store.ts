import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** A condition on `tenants`: the clock is the ordinary one. Every tenant's is, but that of a demo tenant that is being filled. */
export const onOrdinaryClock = sql<boolean>`coalesce(tenants.clock_behind, interval '0') = interval '0'`

/** Whether this process may write for the tenant by the ordinary clock. */
export async function isOnOrdinaryClock(tx: Transaction, tenantId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('tenants')
    .select('id')
    .where('id', '=', tenantId)
    .where(onOrdinaryClock)
    .executeTakeFirst()
  return row !== undefined
}
