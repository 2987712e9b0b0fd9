import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'

// An S3-compatible store at the edge of the process. It is as strict as the real ones: it checks signatures, digests of bodies,
// checksums of parts, their order and least size, and conditional writes. `fail` decides what happens to a request instead.

export const s3Settings = (url: string) => ({
  AWS_ACCESS_KEY_ID: 'test-access',
  AWS_SECRET_ACCESS_KEY: 'test-secret',
  AWS_REGION: 'eu-west-1',
  AWS_ENDPOINT_URL_S3: url,
})

const leastPart = 5 * 1024 * 1024

/**
 * 'reset' ends the connection without an answer; 'lost' does what was asked, and then ends it; 'hang' never answers; 'drip' does what
 * was asked, and answers a byte now and then; `afterMs`: answers later; `bytesPerSecond`: answers at this rate; `extra`: answers with
 * so many bytes more.
 */
export type Fault =
  | { status: number; code: string }
  | 'reset'
  | 'lost'
  | 'hang'
  | 'drip'
  | { afterMs: number }
  | { bytesPerSecond: number }
  | { extra: number }
export type S3Call = { operation: string; key: string; partNumber: number | undefined }

type Upload = { key: string; metadata: Record<string, string>; parts: Map<number, { body: Buffer; etag: string }> }
type Stored = { body: Buffer; etag: string; metadata: Record<string, string> }

export async function s3Server(bucket = 'evidence') {
  const objects = new Map<string, Stored>()
  const uploads = new Map<string, Upload>()
  const calls: S3Call[] = []
  let versioning: 'Enabled' | 'Suspended' | undefined
  let fail: (call: S3Call) => Fault | undefined = () => undefined
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      answer(response, error instanceof S3Error ? error : new S3Error(500, 'InternalError', String(error)))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const at = new URL(request.url ?? '/', url)
    checkSignature(request, at, body)
    const [, named = '', ...rest] = at.pathname.split('/')
    if (named !== bucket) throw new S3Error(404, 'NoSuchBucket')
    const key = decodeURIComponent(rest.join('/'))
    const partNumber = at.searchParams.has('partNumber') ? Number(at.searchParams.get('partNumber')) : undefined
    const call = { operation: operationOf(request.method ?? '', at.searchParams), key, partNumber }
    calls.push(call)
    const fault = fail(call)
    if (fault === 'hang') return
    if (fault === 'reset') return void request.socket.destroy()
    if (typeof fault === 'object' && 'code' in fault) throw new S3Error(fault.status, fault.code)
    const result = perform(call, request, at, body)
    if (fault === 'lost') return void request.socket.destroy()
    if (fault === 'drip') return inPieces(response, result, 1, 20)
    if (typeof fault === 'object' && 'bytesPerSecond' in fault)
      return inPieces(response, result, fault.bytesPerSecond / 20, 50)
    if (typeof fault === 'object' && 'extra' in fault) {
      const { 'content-length': _length, ...headers } = result.headers ?? {}
      const more = Buffer.alloc(fault.extra, ' ')
      return void response.writeHead(result.status, headers).end(Buffer.concat([Buffer.from(result.body ?? ''), more]))
    }
    if (typeof fault === 'object') await setTimeout(fault.afterMs)
    response.writeHead(result.status, result.headers).end(request.method === 'HEAD' ? undefined : result.body)
  }

  /** Sends the body in pieces of `size` bytes, one in `everyMs`. */
  function inPieces(response: ServerResponse, { status, headers, body = '' }: Result, size: number, everyMs: number) {
    let rest = Buffer.from(body)
    response.writeHead(status, headers).flushHeaders()
    const timer = setInterval(() => {
      response.write(rest.subarray(0, size))
      rest = rest.subarray(size)
      if (rest.length === 0) response.end()
    }, everyMs)
    response.on('close', () => clearInterval(timer))
  }

  type Result = { status: number; headers?: Record<string, string>; body?: string | Buffer }
  function perform(
    { operation, key, partNumber = 0 }: S3Call,
    request: IncomingMessage,
    at: URL,
    body: Buffer,
  ): Result {
    const uploadId = at.searchParams.get('uploadId') ?? ''
    const upload = uploads.get(uploadId)
    if (['UploadPart', 'CompleteMultipartUpload', 'AbortMultipartUpload'].includes(operation) && upload?.key !== key)
      throw new S3Error(404, 'NoSuchUpload')
    switch (operation) {
      case 'CreateMultipartUpload': {
        const id = `upload-${calls.length}`
        uploads.set(id, { key, metadata: metadataOf(request), parts: new Map() })
        return xml(200, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
      }
      case 'UploadPart': {
        const checksum = createHash('sha256').update(body).digest('base64')
        if (request.headers['x-amz-checksum-sha256'] !== checksum) throw new S3Error(400, 'BadDigest')
        const etag = `"${createHash('md5').update(body).digest('hex')}"`
        upload?.parts.set(partNumber, { body, etag })
        return { status: 200, headers: { etag, 'x-amz-checksum-sha256': checksum } }
      }
      case 'CompleteMultipartUpload': {
        if (request.headers['if-none-match'] === '*' && objects.has(key)) throw new S3Error(412, 'PreconditionFailed')
        const listed = [...body.toString().matchAll(/<Part>.*?<\/Part>/gs)].map(([part]) => ({
          number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
          etag: /<ETag>(?:&quot;|")?([0-9a-f]+)/.exec(part)?.[1],
        }))
        const parts = listed.map(({ number, etag }, index) => {
          const part = upload?.parts.get(number)
          if (part === undefined || part.etag !== `"${etag}"`) throw new S3Error(400, 'InvalidPart')
          if (number !== index + 1) throw new S3Error(400, 'InvalidPartOrder')
          if (index < listed.length - 1 && part.body.length < leastPart) throw new S3Error(400, 'EntityTooSmall')
          return part.body
        })
        if (parts.length === 0) throw new S3Error(400, 'MalformedXML')
        const whole = Buffer.concat(parts)
        const etag = `"${createHash('md5').update(whole).digest('hex')}-${parts.length}"`
        objects.set(key, { body: whole, etag, metadata: upload?.metadata ?? {} })
        uploads.delete(uploadId)
        return xml(200, `<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`)
      }
      case 'AbortMultipartUpload':
        uploads.delete(uploadId)
        return { status: 204 }
      case 'ListMultipartUploads': {
        const prefix = at.searchParams.get('prefix') ?? ''
        const found = [...uploads].filter(([, one]) => one.key.startsWith(prefix))
        const rows = found.map(([id, one]) => `<Upload><Key>${one.key}</Key><UploadId>${id}</UploadId></Upload>`)
        return xml(200, `<ListMultipartUploadsResult>${rows.join('')}</ListMultipartUploadsResult>`)
      }
      case 'GetBucketVersioning': {
        const status = versioning === undefined ? '' : `<Status>${versioning}</Status>`
        return xml(200, `<VersioningConfiguration>${status}</VersioningConfiguration>`)
      }
      case 'DeleteObject':
        objects.delete(key)
        return { status: 204 }
      case 'HeadObject':
      case 'GetObject':
        return read(key, request.headers.range)
      default:
        throw new S3Error(501, 'NotImplemented')
    }
  }

  function read(key: string, range: string | undefined): Result {
    const object = objects.get(key)
    if (object === undefined) throw new S3Error(404, 'NoSuchKey')
    const { body, etag, metadata } = object
    const told = Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name}`, value]))
    const [, start = '0', end = String(body.length - 1)] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
    if (Number(start) >= body.length) throw new S3Error(416, 'InvalidRange')
    const part = body.subarray(Number(start), Number(end) + 1)
    const headers = { ...told, etag, 'content-length': String(part.length), 'accept-ranges': 'bytes' }
    return range === undefined
      ? { status: 200, headers, body: part }
      : { status: 206, headers: { ...headers, 'content-range': `bytes ${start}-${end}/${body.length}` }, body: part }
  }

  return {
    url,
    objects,
    uploads,
    calls,
    /** Undefined lets a request through. */
    failWith(next: (call: S3Call) => Fault | undefined) {
      fail = next
    },
    /** What the store says of its versions. It does not keep any. */
    setVersioning(status: 'Enabled' | 'Suspended') {
      versioning = status
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

class S3Error extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message = code) {
    super(message)
    this.status = status
    this.code = code
  }
}

const xml = (status: number, body: string) => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>${body}`,
})

function answer(response: ServerResponse, { status, code, message }: S3Error): void {
  const { headers, body } = xml(status, `<Error><Code>${code}</Code><Message>${message}</Message></Error>`)
  response.writeHead(status, headers).end(body)
}

function operationOf(method: string, query: URLSearchParams): string {
  if (method === 'POST') return query.has('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload'
  if (method === 'PUT') return query.has('partNumber') ? 'UploadPart' : 'PutObject'
  if (method === 'DELETE') return query.has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject'
  if (method === 'HEAD') return 'HeadObject'
  if (query.has('versioning')) return 'GetBucketVersioning'
  return query.has('uploads') ? 'ListMultipartUploads' : 'GetObject'
}

const metadataOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith('x-amz-meta-'))
      .map(([name, value]) => [name.slice('x-amz-meta-'.length), String(value)]),
  )

/** Signature Version 4, as the store computes it from the secret that it shares with the client. */
function checkSignature(request: IncomingMessage, at: URL, body: Buffer): void {
  const secret = s3Settings('').AWS_SECRET_ACCESS_KEY
  const [, credential = '', signedHeaders = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    ) ?? []
  const [accessKey, ...scope] = credential.split('/')
  if (accessKey !== s3Settings('').AWS_ACCESS_KEY_ID) throw new S3Error(403, 'InvalidAccessKeyId')
  const digest = String(request.headers['x-amz-content-sha256'])
  if (digest !== 'UNSIGNED-PAYLOAD' && digest !== createHash('sha256').update(body).digest('hex'))
    throw new S3Error(400, 'XAmzContentSHA256Mismatch')
  const query = [...at.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
  const headers = signedHeaders.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`)
  const canonical = [request.method, at.pathname, query, headers.join(''), signedHeaders, digest].join('\n')
  const hashed = createHash('sha256').update(canonical).digest('hex')
  const toSign = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope.join('/'), hashed].join('\n')
  const key = scope.reduce<Buffer | string>(
    (previous, part) => createHmac('sha256', previous).update(part).digest(),
    `AWS4${secret}`,
  )
  if (createHmac('sha256', key).update(toSign).digest('hex') !== signature)
    throw new S3Error(403, 'SignatureDoesNotMatch')
}

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
