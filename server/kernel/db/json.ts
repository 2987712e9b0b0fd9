import { type RawBuilder, sql } from 'kysely'
import type { JsonValue } from '#lib/json.ts'

/** A value for a jsonb column. The driver would turn an array into a PostgreSQL array, so JSON is always sent as text. */
export const json = (value: JsonValue): RawBuilder<never> => sql<never>`${JSON.stringify(value)}::jsonb`

/** Bytes in the JSON that a function of the database reads; null stays null. */
export function bytesText(bytes: Buffer): string
export function bytesText(bytes: Buffer | null): string | null
export function bytesText(bytes: Buffer | null): string | null {
  return bytes === null ? null : `\\x${bytes.toString('hex')}`
}
