import { CompiledQuery } from 'kysely'
import type { Notice } from '#server/kernel/db/closing.ts'

/** One record with its time and its mac, but without its position in the log, which the database adds. */
export type UnplacedRecord = {
  auditId: string
  type: string
  /** The record's canonical JSON. */
  text: string
  digest: Buffer
  mac: Buffer
  /** The part after the position in the leaf's canonical JSON. */
  leafTail: string
  nonce: Buffer
}

// Constant texts, not built for each call: every operation ends with one of these statements.
export const appendText = 'select append_keyed_records($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)'
const bindText =
  'select bind_and_append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)'

/**
 * Appends the records, in order, to the tenant's log of today (UTC, the database's clock), and sends the notices. `moment` is
 * the time in the records. With `states` (writeStates), also does what they do, which the records commit to.
 */
export const appendRecords = (
  tenantId: string,
  moment: Date,
  records: readonly UnplacedRecord[],
  notices: readonly Notice[],
  states?: CompiledQuery,
): CompiledQuery =>
  CompiledQuery.raw(states === undefined ? appendText : bindText, [
    ...(states?.parameters ?? [tenantId]),
    moment,
    records.map(({ auditId }) => auditId),
    records.map(({ type }) => type),
    records.map(({ text }) => text),
    records.map(({ digest }) => digest),
    records.map(({ mac }) => mac),
    records.map(({ leafTail }) => leafTail),
    records.map(({ nonce }) => nonce),
    notices.map(({ channel }) => channel),
    notices.map(({ topic }) => topic),
  ])
