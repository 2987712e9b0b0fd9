import type { IncomingMessage, ServerResponse } from 'node:http'
import type { File } from './load-build.ts'

/** Answers with a file of the list: compressed where the browser takes it, 304 where it has these bytes already. */
export function sendFile(req: IncomingMessage, res: ServerResponse, file: File): void {
  for (const [name, value] of Object.entries(file.headers)) res.setHeader(name, value)
  if (isKnown(req.headers['if-none-match'], file.headers.etag ?? '')) {
    res.writeHead(304).end()
    return
  }
  const { body, encoding } = choose(req.headers['accept-encoding'], file)
  if (encoding !== undefined) res.setHeader('content-encoding', encoding)
  res.writeHead(200, { 'content-length': body.length }).end(req.method === 'HEAD' ? undefined : body)
}

/** `W/` is ignored, as RFC 9110 13.1.2 asks: the comparison is weak. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
}

function choose(header: string | undefined, { identity, gzip, br }: File): { body: Buffer; encoding?: string } {
  if (br !== undefined && accepts(header, 'br')) return { body: br, encoding: 'br' }
  if (gzip !== undefined && accepts(header, 'gzip')) return { body: gzip, encoding: 'gzip' }
  return { body: identity }
}

/** Whether Accept-Encoding names the coding without refusing it (`;q=0`). */
export function accepts(header: string | undefined, coding: string): boolean {
  return (header ?? '').split(',').some((one) => {
    const [name = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}
