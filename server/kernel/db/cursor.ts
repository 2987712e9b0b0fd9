import { type AliasableExpression, sql } from 'kysely'
import type { Transaction } from './database.ts'

const batchRows = 500
let opened = 0

/**
 * The rows of `query`, read in batches through a server-side cursor: all from one snapshot (taken when it opens),
 * however slow the reader is, with at most one batch in memory. The cursor ends with the transaction at the latest.
 */
export async function* cursorRows<Row>(tx: Transaction, query: AliasableExpression<Row>): AsyncGenerator<Row> {
  for await (const rows of cursorLots(tx, query)) yield* rows
}

/** The rows of `cursorRows`, as many at a time as were read together: a step of a generator costs as much as reading a row. */
export async function* cursorLots<Row>(tx: Transaction, query: AliasableExpression<Row>): AsyncGenerator<Row[]> {
  opened = (opened + 1) % 1_000_000
  const cursor = sql.id(`rows_${opened}`)
  await sql`declare ${cursor} no scroll cursor for ${query}`.execute(tx)
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(batchRows)} from ${cursor}`.execute(tx)
    if (rows.length > 0) yield rows
    if (rows.length < batchRows) break
  }
  await sql`close ${cursor}`.execute(tx)
}
