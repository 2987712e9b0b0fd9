import { CompiledQuery } from 'kysely'
import type { Notice } from '#server/kernel/db/transaction.ts'

/** One record, but for its place in the log and its moment: the database gives them. See record.ts for the bytes. */
export type UnplacedRecord = {
  auditId: string
  type: string
  /** The record's canonical JSON before and after its moment. */
  around: readonly [head: string, tail: string]
  /** What follows the place in the leaf's canonical JSON. */
  leafTail: string
  nonce: Buffer
}

// One text, and not put together each time: every act ends with it.
const appendText = 'select append_audit($1, $2, $3, $4, $5, $6, $7, $8, $9)'

/** Appends the records to the tenant's log of today (UTC, the database's clock), in their order, and tells the notices. */
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
