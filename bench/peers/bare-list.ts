// Peer of case 15: a page with a virtualised list and nothing else, and the rows of `sample-spans.ts` as JSON from memory.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { sampleSpans } from '#server/testing/sample-spans.ts'

const page = readFileSync(join(import.meta.dirname, 'bare-list.html'))
const prepared = new Map<string, string>()

function rowsOf(count: string): string {
  const known = prepared.get(count)
  if (known !== undefined) return known
  const rows = sampleSpans(Number(count)).map(({ name, depth, start, duration }) => ({ name, depth, start, duration }))
  const text = JSON.stringify(rows)
  prepared.set(count, text)
  return text
}

const server = createServer((req, res) => {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost')
  if (pathname === '/rows')
    return res.writeHead(200, { 'content-type': 'application/json' }).end(rowsOf(searchParams.get('count') ?? '0'))
  res.writeHead(pathname === '/' ? 200 : 204, { 'content-type': 'text/html; charset=utf-8' }).end(page)
})
server.listen(0, () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`ready http://localhost:${port}\n`)
})
