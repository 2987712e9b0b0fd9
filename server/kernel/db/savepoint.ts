import { sql } from 'kysely'
import type { Transaction } from './database.ts'

/** Marks a point in `tx` to which the work can be rolled back while the transaction lives on. */
export async function savepoint(tx: Transaction): Promise<{ keep(): Promise<void>; rollBack(): Promise<void> }> {
  await sql`savepoint before_run`.execute(tx)
  return {
    keep: async () => {
      await sql`release savepoint before_run`.execute(tx)
    },
    rollBack: async () => {
      await sql`rollback to savepoint before_run`.execute(tx)
    },
  }
}
