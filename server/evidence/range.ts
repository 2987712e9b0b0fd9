/** Both included. */
type Bytes = { start: number; end: number }

/**
 * The bytes that a request asks for (RFC 9110, section 14). Undefined: the whole archive, because the request names no range,
 * several, or one of another archive. 'none': a range that the archive does not have.
 */
export function rangeOf(
  { range, ifRange }: { range?: string | undefined; ifRange?: string | undefined },
  { bytes, etag }: { bytes: number; etag: string },
): Bytes | 'none' | undefined {
  // A date is never equal to a tag. The archive never changes, but the client may have begun with another one.
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(range.trim()) ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first === '') {
    const length = Math.min(Number(last), bytes)
    return length === 0 ? 'none' : { start: bytes - length, end: bytes - 1 }
  }
  const start = Number(first)
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= bytes ? 'none' : { start, end }
}
