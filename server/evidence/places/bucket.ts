import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import type { Bucket } from '#server/kernel/config.ts'
import { AnswerTooLarge } from '#server/kernel/net/outbound.ts'
import { s3, TransferTooSlow } from '#server/kernel/net/s3.ts'
import { cutSignal } from '#server/kernel/runtime.ts'
import type { ArchiveOf, ArchiveStore } from './archives.ts'
import { abandonUploads, type ObjectAt, storeWhole } from './multipart.ts'
import { clientOf } from './s3-client.ts'
import { StoreFailed } from './store-failed.ts'

/** Archives in an S3-compatible store. Each run has an object of its own, which is not read before the row names it. */
export function bucketAt({ bucket, prefix }: Bucket): ArchiveStore {
  return {
    placeFor: ({ tenantId, exportId, run }) => `s3://${bucket}/${prefix}${tenantId}/${exportId}-${run}.zip`,
    store: (place, archive, file, signal) =>
      answering(signal, (client) => storeWhole(client, objectAt(place, archive), file, signal)),
    // The row names the object from now on.
    publish: () => Promise.resolve(),
    open: (place, archive, range) => answering(undefined, (client) => read(client, objectAt(place, archive), range)),
    // Also when the run was cut.
    discard: (place, archive) => remove(place, archive, undefined),
    remove: (place, archive) => remove(place, archive, cutSignal()),
  }
}

/**
 * The object of a place, which must be one of a run of this export: anyone who can change the row could otherwise read or delete
 * any object that this service may, such as another tenant's archive. Throws StoreFailed.
 */
function objectAt(place: string, { tenantId, exportId }: ArchiveOf): ObjectAt {
  const [, name = '', key = ''] = /^s3:\/\/([^/]+)\/(.+)$/.exec(place) ?? []
  const [run] = /\d+\.zip$/.exec(key) ?? []
  if (run === undefined || !`/${key}`.endsWith(`/${tenantId}/${exportId}-${run}`))
    throw new StoreFailed('The stored place is that of another object.')
  return { Bucket: name, Key: key }
}

async function remove(place: string, archive: ArchiveOf, signal: AbortSignal | undefined): Promise<void> {
  await answering(signal, async (client) => {
    const { DeleteObjectCommand } = await s3()
    const object = objectAt(place, archive)
    await abandonUploads(client, object, signal)
    await client.send(new DeleteObjectCommand(object), { ...(signal && { abortSignal: signal }) })
  })
}

async function read(
  client: S3Client,
  object: ObjectAt,
  { start, end, size }: { start: number; end: number; size: number },
): Promise<Readable> {
  const { GetObjectCommand } = await s3()
  const { Body, ContentRange } = await client.send(new GetObjectCommand({ ...object, Range: `bytes=${start}-${end}` }))
  if (ContentRange !== `bytes ${start}-${end}/${size}` || !(Body instanceof Readable)) {
    if (Body instanceof Readable) Body.destroy()
    throw new StoreFailed(`The store has another object: ${ContentRange ?? 'no range'} instead of ${size} bytes.`)
  }
  return Body
}

/** Runs `work`; what the store answers becomes a StoreFailed that says so. */
async function answering<T>(signal: AbortSignal | undefined, work: (client: S3Client) => Promise<T>): Promise<T> {
  try {
    return await work(await clientOf())
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof StoreFailed) throw error
    throw new StoreFailed(answerIn(error), { cause: error })
  }
}

function answerIn(error: unknown): string {
  if (error instanceof TransferTooSlow || error instanceof AnswerTooLarge) return error.message
  const { name, code, $metadata } = error as { name?: string; code?: string; $metadata?: { httpStatusCode?: number } }
  const status = $metadata?.httpStatusCode
  if (status !== undefined) return `The store answered ${status} ${name ?? ''}.`.replace(' .', '.')
  return `The store can’t be reached (${code ?? name ?? 'no answer'}).`
}
