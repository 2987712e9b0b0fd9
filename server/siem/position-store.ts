import { sql } from 'kysely'
import type { Position } from '#server/audit/position.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

export const findPosition = (tx: Transaction, tenantId: string, sink: string): Promise<Position | undefined> =>
  tx
    .selectFrom('siemPositions')
    .select(['date', 'seen', 'before'])
    .where('tenantId', '=', tenantId)
    .where('sink', '=', sink)
    .executeTakeFirst()

export async function setPosition(
  tx: Transaction,
  tenantId: string,
  sink: string,
  { date, seen, before }: Position,
): Promise<void> {
  await tx
    .insertInto('siemPositions')
    .values({ tenantId, sink, date, seen, before })
    .onConflict((conflict) => conflict.columns(['tenantId', 'sink']).doUpdateSet({ date, seen, before }))
    .execute()
}

/** Until the transaction ends, no other process sends this tenant's records to this sink. False: another one does. */
export async function tryLockSink(tx: Transaction, tenantId: string, sink: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`siem\n${sink}\n${tenantId}`}, 0)) as locked`.execute(tx)
  return rows[0]?.locked === true
}
