import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** Held until `tx` ends: of two first starts, one makes the demo. */
export async function seedLock(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(7310453)`.execute(tx)
}
