import { type RawBuilder, sql } from 'kysely'
import { defaultPageRows } from '#lib/schemas/common.ts'

// PostgreSQL plans a prepared statement once for all values if it expects that plan to cost no more than one for the values of a call. What
// depends on the length of a list, or on a LIMIT, keeps it from that: these statements were planned at each call, for longer than they ran.

/** A list as one parameter. Each plan expects the same length of a subquery's list, so the statement is planned once. */
export function listOf(values: readonly unknown[], type: 'uuid' | 'text' | 'integer'): RawBuilder<unknown> {
  const list = sql.raw(`${type}[]`)
  // The second cast: `= any (select …)` would compare with the subquery's rows.
  return sql`(select ${values}::${list})::${list}`
}

/** The rows that a page of the default size asks for: one more than it shows. */
export const usualRows = defaultPageRows + 1

/**
 * The LIMIT of a page. Without any of the `filters`, the usual one is a part of the text, so that each plan knows it. With one, PostgreSQL
 * should plan for its value: the plan for a frequent value reads the whole table for a rare one.
 */
export const pageLimit = (rows: number, ...filters: unknown[]): RawBuilder<number> | number =>
  rows === usualRows && filters.every((filter) => filter === undefined) ? sql.lit(rows) : rows
