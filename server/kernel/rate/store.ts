import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/** The points lent in a window, this loan included, and the time until it ends. */
export type Window = { borrowed: number; millisecondsLeft: number }

/**
 * Borrows `points` from the budget `name`, or records the attempt: the caller compares `borrowed` with the limit. The
 * first loan after a window's end starts the next window. Windows follow the database's clock, so that nodes agree. One
 * statement with one clock reading, because two readings could be on both sides of the end.
 */
export async function borrow(
  tx: Transaction,
  { tenantId, name, points, seconds }: { tenantId: string; name: string; points: number; seconds: number },
): Promise<Window> {
  const { rows } = await sql<{ borrowed: number; millisecondsLeft: number }>`
    insert into rate_budgets as budget (tenant_id, name, borrowed, ends_at)
    values (${tenantId}, ${name}, ${points}, now() + make_interval(secs => ${seconds}))
    on conflict (tenant_id, name) do update set
      borrowed = case when budget.ends_at <= now() then excluded.borrowed else budget.borrowed + excluded.borrowed end,
      ends_at = case when budget.ends_at <= now() then excluded.ends_at else budget.ends_at end
    returning borrowed, extract(epoch from ends_at - now())::float8 * 1000 as milliseconds_left`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('unreachable: a loan returns one row')
  return row
}

/** Deletes budgets whose window ended long ago; the next loan starts them again. */
export async function deleteEndedBudgets(tx: Transaction, tenantId: string): Promise<void> {
  await tx
    .deleteFrom('rateBudgets')
    .where('tenantId', '=', tenantId)
    .where('endsAt', '<', sql<Date>`now() - interval '1 minute'`)
    .execute()
}
