import { sql } from 'kysely'
import type { JsonObject } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'

/** The next place in today's log (UTC, the database's clock). A day that is already sealed takes no more records. */
export async function nextSequence(
  tx: Transaction,
  tenantId: string,
): Promise<{ date: string; seq: number; at: string }> {
  for (;;) {
    const { rows } = await sql<{ date: string; seq: number; at: Date }>`
      insert into audit_days as day (tenant_id, date, size)
      values (${tenantId}, (clock_timestamp() at time zone 'UTC')::date, 1)
      on conflict (tenant_id, date) do update set size = day.size + 1 where day.sealed_at is null
      returning date, size - 1 as seq, clock_timestamp() as at`.execute(tx)
    const row = rows[0]
    // No row: midnight passed while this waited for the lock and the day was sealed. The new date is read again.
    if (row !== undefined) return { date: row.date, seq: row.seq, at: row.at.toISOString() }
  }
}

export async function insertRecord(
  tx: Transaction,
  row: {
    tenantId: string
    date: string
    seq: number
    auditId: string
    type: string
    record: JsonObject
    nonce: Buffer
    digest: Buffer
    leafHash: Buffer
    createdAt: string
  },
): Promise<void> {
  await tx
    .insertInto('auditRecords')
    .values({ ...row, record: json(row.record) })
    .execute()
}
