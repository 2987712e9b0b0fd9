import { CompiledQuery } from 'kysely'
import type { Notice } from '#server/kernel/db/transaction.ts'

/** One record without its position in the log and its time, which the database adds. See record.ts for the bytes. */
export type UnplacedRecord = {
  auditId: string
  type: string
  /** The record's canonical JSON before and after its time. */
  around: readonly [head: string, tail: string]
  /** The part after the position in the leaf's canonical JSON. */
  leafTail: string
  nonce: Buffer
}

// A constant text, not built for each call: every operation ends with this statement.
const appendText = 'select append_records($1, $2, $3, $4, $5, $6, $7, $8, $9)'

/** Appends the records, in order, to the tenant's log of today (UTC, the database's clock), and sends the notices. */
export const appendRecords = (
  tenantId: string,
  records: readonly UnplacedRecord[],
  notices: readonly Notice[],
): CompiledQuery =>
  CompiledQuery.raw(appendText, [
    tenantId,
    records.map(({ auditId }) => auditId),
    records.map(({ type }) => type),
    records.map(({ around }) => around[0]),
    records.map(({ around }) => around[1]),
    records.map(({ leafTail }) => leafTail),
    records.map(({ nonce }) => nonce),
    notices.map(({ channel }) => channel),
    notices.map(({ topic }) => topic),
  ])
