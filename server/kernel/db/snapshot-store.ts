import { sql } from 'kysely'
import type { Transaction } from './database.ts'

/** Returns the name under which other transactions can read this one's snapshot, as long as it is open. */
export async function exportSnapshot(tx: Transaction): Promise<string> {
  const { rows } = await sql<{ id: string }>`select pg_export_snapshot() as id`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('unreachable: a select without from has one row')
  return row.id
}
