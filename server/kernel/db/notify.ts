import { sql } from 'kysely'
import type { Transaction } from './database.ts'
import type { Channel } from './listen.ts'

/** Tells listeners at commit that `topic` changed. A rollback tells nobody. */
export async function notify(tx: Transaction, channel: Channel, topic: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${topic})`.execute(tx)
}
