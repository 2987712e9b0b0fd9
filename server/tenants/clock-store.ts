import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** Moves the clock of a demo tenant, which the database allows only its owner, and only forward. `behind` is in milliseconds. */
export async function moveTenantClock(tx: Transaction, tenantId: string, behind: number): Promise<void> {
  await sql`select move_demo_clock(${tenantId}, ${`${behind} milliseconds`}::interval)`.execute(tx)
}

/** Demo tenants that a process was filling when it ended. */
export const findUnfinishedDemos = (tx: Transaction) =>
  tx
    .selectFrom('tenants')
    .select(['id', 'slug'])
    .where(sql<boolean>`clock_behind > interval '0'`)
    .orderBy('slug')
    .execute()
