import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { AnswerTooLarge } from './outbound.ts'

// The SDK is loaded when a store in S3 is first used: it needs 20 MB that an installation without one keeps.

export const s3 = () => import('@aws-sdk/client-s3')

const connectMs = 5_000
/** A transfer may be as slow as this, however long it takes. */
const bytesPerSecond = 32 * 1024
/** Of an answer without a range: lists, errors, and the signer's memory. */
const maxBytes = 4 * 1024 * 1024

/** The store sends so slowly that the transfer might never end. */
export class TransferTooSlow extends Error {
  override readonly name = 'TransferTooSlow'
}

/**
 * A client with the SDK's own settings (AWS_REGION, AWS_ENDPOINT_URL_S3, credentials of any kind). Each attempt has `waitMs`, and a
 * second more for each 32 KiB that it transfers. That time counts only while this process waits for the store, so a large archive
 * takes as long as its reader or a slow line needs, and a store that answers byte by byte does not hold anything. `cut` ends
 * requests that are under way.
 */
export async function openS3({
  endpoint,
  maxAttempts,
  waitMs,
  cut,
}: {
  endpoint: string | undefined
  maxAttempts: number
  waitMs: number
  cut?: () => AbortSignal
}): Promise<S3Client> {
  const { S3Client: Client } = await s3()
  const client = new Client({
    maxAttempts,
    // Such a store usually lacks a DNS name for each bucket.
    forcePathStyle: endpoint !== undefined,
    requestHandler: { connectionTimeout: connectMs, requestTimeout: waitMs, throwOnRequestTimeout: true },
  })
  const { requestHandler } = client.config
  const handle = requestHandler.handle.bind(requestHandler)
  requestHandler.handle = async (request, options) => {
    const { headers } = request
    const sent = Number(headers['content-length'] ?? 0)
    const own = options !== undefined && 'abortSignal' in options ? options.abortSignal : undefined
    const abortSignals = [own, cut?.()].filter((one) => one instanceof AbortSignal)
    const { response } = await handle(request, {
      ...options,
      // The SDK's limit ends with the headers of the answer.
      requestTimeout: waitMs + timeFor(sent),
      ...(abortSignals.length === 0 ? {} : { abortSignal: AbortSignal.any(abortSignals) }),
    })
    if (response.body instanceof Readable)
      response.body = inPace(response.body, { waitMs, maxBytes: rangeIn(headers) ?? maxBytes })
    return { response }
  }
  return client
}

const timeFor = (bytes: number): number => (bytes * 1000) / bytesPerSecond

/** The bytes that a request asks for. */
function rangeIn({ range = '' }: Record<string, string>): number | undefined {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
  return end === undefined ? undefined : Math.max(Number(end) - Number(start) + 1, maxBytes)
}

/** Passes an answer's body on. Fails with TransferTooSlow or AnswerTooLarge. */
function inPace(body: Readable, { waitMs, maxBytes }: { waitMs: number; maxBytes: number }): Readable {
  const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]()
  let leftMs = waitMs
  let bytes = 0
  const next = async (): Promise<Buffer | null> => {
    const since = performance.now()
    const late = setTimeout(() => {
      body.destroy(new TransferTooSlow(`The store sends less than ${bytesPerSecond / 1024} KiB a second.`))
    }, leftMs)
    const { done, value } = await chunks.next().finally(() => clearTimeout(late))
    if (done === true) return null
    bytes += value.length
    if (bytes > maxBytes) throw new AnswerTooLarge(`The store answered with more than ${maxBytes} bytes.`)
    // What was fast is not credited to what may follow.
    leftMs = Math.min(waitMs, leftMs - (performance.now() - since) + timeFor(value.length))
    return value
  }
  return new Readable({
    read() {
      next().then(
        (chunk) => this.push(chunk),
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      body.destroy()
      done(error)
    },
  })
}
