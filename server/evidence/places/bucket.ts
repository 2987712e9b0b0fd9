import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import type { Bucket } from '#server/kernel/config.ts'
import type { ArchiveStore } from './archives.ts'
import { abandonUploads, type ObjectAt, storeWhole } from './multipart.ts'
import { clientOf, s3 } from './s3-client.ts'
import { StoreFailed } from './store-failed.ts'

/** Archives in an S3-compatible store. Each run has an object of its own, which is not read before the row names it. */
export function bucketAt({ bucket, prefix }: Bucket): ArchiveStore {
  return {
    placeFor: ({ tenantId, exportId, run }) => `s3://${bucket}/${prefix}${tenantId}/${exportId}-${run}.zip`,
    store: (place, _archive, file, signal) =>
      answering(signal, (client) => storeWhole(client, objectAt(place), file, signal)),
    // The row names the object from now on.
    publish: () => Promise.resolve(),
    open: (place, _archive, range) => answering(undefined, (client) => read(client, place, range)),
    discard: remove,
    remove,
  }
}

function objectAt(place: string): ObjectAt {
  const [, name = '', key = ''] = /^s3:\/\/([^/]+)\/(.+)$/.exec(place) ?? []
  return { Bucket: name, Key: key }
}

async function remove(place: string): Promise<void> {
  await answering(undefined, async (client) => {
    const { DeleteObjectCommand } = await s3()
    await abandonUploads(client, objectAt(place))
    await client.send(new DeleteObjectCommand(objectAt(place)))
  })
}

async function read(
  client: S3Client,
  place: string,
  { start, end, size }: { start: number; end: number; size: number },
): Promise<Readable> {
  const { GetObjectCommand } = await s3()
  const { Body, ContentRange } = await client.send(
    new GetObjectCommand({ ...objectAt(place), Range: `bytes=${start}-${end}` }),
  )
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
  const { name, code, $metadata } = error as { name?: string; code?: string; $metadata?: { httpStatusCode?: number } }
  const status = $metadata?.httpStatusCode
  if (status !== undefined) return `The store answered ${status} ${name ?? ''}.`.replace(' .', '.')
  return `The store can’t be reached (${code ?? name ?? 'no answer'}).`
}
