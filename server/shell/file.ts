import type { IncomingMessage, ServerResponse } from 'node:http'
import { accepts, isKnown } from '#server/kernel/answers/negotiation.ts'
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

function choose(header: string | undefined, { identity, gzip, br }: File): { body: Buffer; encoding?: string } {
  if (br !== undefined && accepts(header, 'br')) return { body: br, encoding: 'br' }
  if (gzip !== undefined && accepts(header, 'gzip')) return { body: gzip, encoding: 'gzip' }
  return { body: identity }
}
