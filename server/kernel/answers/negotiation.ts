/** Whether Accept-Encoding names the coding without refusing it (`;q=0`). */
export function accepts(header: string | undefined, coding: string): boolean {
  return (header ?? '').split(',').some((one) => {
    const [name = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

/** Whether If-None-Match names the ETag. `W/` is ignored, as RFC 9110 13.1.2 asks: the comparison is weak. */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return header.split(',').some((one) => one.trim() === '*' || opaque(one) === opaque(etag))
}
