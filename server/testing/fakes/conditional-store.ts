import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** What happens to a request instead: an error, a connection that ends before, or after the request was carried out. */
export type Fault = { status: number; code: string } | 'reset' | 'lost'

/**
 * An S3-compatible store of small objects at the edge of the process: GET and conditional PUT. It refuses what a real one
 * refuses: requests without a signature, bodies without their checksum, and PUT without a condition, which would be a mistake.
 */
export async function conditionalStore(bucket = 'memory') {
  const objects = new Map<string, { body: Buffer; etag: string }>()
  let fault: (method: string) => Fault | undefined = () => undefined
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => refuse(response, 500, String(error)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const wrong = fault(request.method ?? '')
    if (wrong === 'reset') return void request.socket.destroy()
    if (wrong !== undefined && wrong !== 'lost') return refuse(response, wrong.status, wrong.code)
    const signed = /^AWS4-HMAC-SHA256 Credential=test-access\/\d{8}\/eu-test-1\/s3\/aws4_request, ?SignedHeaders=.*host/
    if (!signed.test(request.headers.authorization ?? '')) return refuse(response, 403, 'AccessDenied')
    const path = new URL(request.url ?? '/', url).pathname
    if (!path.startsWith(`/${bucket}/`)) return refuse(response, 404, 'NoSuchBucket')
    const result = request.method === 'PUT' ? put(path, request, body) : get(path, request.method)
    if (wrong === 'lost') return void request.socket.destroy()
    if ('code' in result) return refuse(response, result.status, result.code)
    response.writeHead(200, { etag: result.etag }).end(request.method === 'PUT' ? undefined : result.body)
  }

  function get(path: string, method = '') {
    if (method !== 'GET') return { status: 501, code: 'NotImplemented' }
    return objects.get(path) ?? { status: 404, code: 'NoSuchKey' }
  }

  function put(path: string, { headers }: IncomingMessage, body: Buffer) {
    const sha256 = (encoding: 'base64' | 'hex') => createHash('sha256').update(body).digest(encoding)
    if (headers['x-amz-checksum-sha256'] !== sha256('base64')) return { status: 400, code: 'BadDigest' }
    if (headers['x-amz-content-sha256'] !== sha256('hex')) return { status: 400, code: 'XAmzContentSHA256Mismatch' }
    const stored = objects.get(path)
    const { 'if-match': match, 'if-none-match': none } = headers
    if (match === undefined && none !== '*') return { status: 400, code: 'UnconditionalWrite' }
    if (match !== undefined && stored === undefined) return { status: 404, code: 'NoSuchKey' }
    if (match === undefined ? stored !== undefined : stored?.etag !== match)
      return { status: 412, code: 'PreconditionFailed' }
    const made = { body, etag: `"${createHash('md5').update(body).digest('hex')}"` }
    objects.set(path, made)
    return made
  }

  return {
    url,
    objects,
    /** Undefined lets a request through. */
    failWith(next: (method: string) => Fault | undefined) {
      fault = next
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' })
  response.end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`)
}
