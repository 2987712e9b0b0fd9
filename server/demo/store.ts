import { sql } from 'kysely'
import type { Client } from 'pg'
import type { Transaction } from '#server/kernel/db/database.ts'

/** Held until `tx` ends: of two first starts, one makes the demo. */
export async function seedLock(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(7310453)`.execute(tx)
}

/** Held until `client` disconnects: one process at a time makes a demo tenant. False if another one does. */
export async function tryDemoLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock(7310454) as held')
  return rows[0]?.held === true
}
