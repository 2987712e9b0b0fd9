import { randomBytes, randomUUID } from 'node:crypto'

/**
 * UUIDv7 (RFC 9562), generated in Node so that PostgreSQL 15 is sufficient; ids sort by creation time. Its random bits are those of a UUIDv4,
 * which Node takes from a reserve: asking the system for them at each call takes ten times as long.
 */
export function newId(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/** An id without order, for objects whose creation time must not be revealed. */
export const newRandomId = (): string => randomUUID()

/** 256 random bits in base64url, for client secrets and demo passwords. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** W3C trace context: 16 and 8 random bytes in lower-case hex. */
export const newTraceId = (): string => randomBytes(16).toString('hex')
export const newSpanId = (): string => randomBytes(8).toString('hex')

/** The smallest id that can be generated at `at`: ids generated earlier are smaller. Before 1970 no id can be generated. */
export const firstIdAt = (at: Date): string => {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`
}
