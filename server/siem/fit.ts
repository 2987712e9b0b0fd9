import type { JsonObject } from '#lib/json.ts'

/** Receivers of syslog must take 2,048 bytes and should take 8,192 (RFC 5425, section 4.3.1). */
export const maxBytes = 8192
const shortReason = 500

/** What a message lacks, and how large it would have been. */
export type Cut = { dropped: readonly string[]; bytes: number }

/**
 * Writes a record so that it has at most 8 KB. A larger one loses its details, then the states of objects, then all but the
 * beginning of its reason. The record itself is always written.
 */
export function fitted<T>(
  record: JsonObject,
  write: (record: JsonObject, cut?: Cut) => T,
  sizeOf: (form: T) => number,
): T {
  const whole = write(record)
  const bytes = sizeOf(whole)
  if (bytes <= maxBytes) return whole
  let [left, dropped, form] = [record, [] as string[], whole]
  for (const name of ['details', 'states', 'reason']) {
    const { [name]: value, ...rest } = left
    if (value === undefined) continue
    left = name === 'reason' ? { ...rest, reason: `${String(value).slice(0, shortReason).toWellFormed()}…` } : rest
    dropped = [...dropped, name]
    form = write(left, { dropped, bytes })
    if (sizeOf(form) <= maxBytes) return form
  }
  return form
}
