import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { CompletedPart, S3Client } from '@aws-sdk/client-s3'
import { s3 } from '#server/kernel/net/s3.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { ArchiveFile } from './archives.ts'
import { StoreFailed } from './store-failed.ts'

export type ObjectAt = { Bucket: string; Key: string }

const smallestPart = 8 * 1024 * 1024
const mostParts = 10_000

/**
 * Stores a file as one object, in parts whose SHA-256 the store compares. The object appears whole, when the last step has
 * succeeded, and only under a name that was free. An upload that fails is abandoned, so that its parts don't stay.
 */
export async function storeWhole(
  client: S3Client,
  at: ObjectAt,
  file: ArchiveFile,
  signal: AbortSignal,
): Promise<void> {
  const { AbortMultipartUploadCommand, CreateMultipartUploadCommand } = await s3()
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({
      ...at,
      ContentType: 'application/zip',
      ChecksumAlgorithm: 'SHA256',
      Metadata: { sha256: file.sha256 },
    }),
    { abortSignal: signal },
  )
  if (UploadId === undefined) throw new StoreFailed('The store began an upload without a name for it.')
  try {
    const parts = await sendParts(client, { ...at, UploadId }, file, signal)
    await complete(client, { ...at, UploadId }, parts, file)
  } catch (error) {
    await client.send(new AbortMultipartUploadCommand({ ...at, UploadId })).catch((left: unknown) => {
      // The next run of the export abandons it; after the last one, only the bucket's own rule for unfinished uploads does.
      runtime().log.warn({ err: left, ...at, uploadId: UploadId }, 'an unfinished upload could not be abandoned')
    })
    throw error
  }
}

type Upload = ObjectAt & { UploadId: string }

async function sendParts(
  client: S3Client,
  upload: Upload,
  { path, bytes, onBytes }: ArchiveFile,
  signal: AbortSignal,
): Promise<CompletedPart[]> {
  const { UploadPartCommand } = await s3()
  const size = Math.max(smallestPart, Math.ceil(bytes / mostParts))
  const handle = await open(path, 'r')
  try {
    const parts: CompletedPart[] = []
    for (let start = 0; start < bytes; start += size) {
      signal.throwIfAborted()
      const Body = Buffer.allocUnsafe(Math.min(size, bytes - start))
      const { bytesRead } = await handle.read(Body, 0, Body.length, start)
      if (bytesRead !== Body.length) throw new Error(`The file ${path} is shorter than it was.`)
      const ChecksumSHA256 = createHash('sha256').update(Body).digest('base64')
      const PartNumber = parts.length + 1
      const { ETag } = await client.send(
        new UploadPartCommand({ ...upload, PartNumber, Body, ContentLength: Body.length, ChecksumSHA256 }),
        { abortSignal: signal },
      )
      parts.push({ PartNumber, ETag, ChecksumSHA256 })
      onBytes(Body.length)
    }
    return parts
  } finally {
    await handle.close()
  }
}

/** When the answer to the last step is lost, or says that it had been done before, the object itself says whether it is ours. */
async function complete(
  client: S3Client,
  upload: Upload,
  Parts: CompletedPart[],
  { bytes, sha256 }: ArchiveFile,
): Promise<void> {
  const { CompleteMultipartUploadCommand, HeadObjectCommand } = await s3()
  try {
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts }, IfNoneMatch: '*' }))
  } catch (error) {
    const { Bucket, Key } = upload
    const there = await client.send(new HeadObjectCommand({ Bucket, Key })).catch((unknown: unknown) => {
      // The answer to the last step, which is thrown below, is the one that matters.
      runtime().log.warn({ err: unknown, Bucket, Key }, 'whether the store has an archive could not be read')
      return undefined
    })
    if (there?.ContentLength !== bytes || there.Metadata?.sha256 !== sha256) throw error
  }
}

/** Abandons the uploads that a crash left unfinished under this name. */
export async function abandonUploads(
  client: S3Client,
  { Bucket, Key }: ObjectAt,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { AbortMultipartUploadCommand, ListMultipartUploadsCommand } = await s3()
  const until = signal && { abortSignal: signal }
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }), { ...until })
  for (const one of Uploads)
    if (one.Key === Key && one.UploadId !== undefined)
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: one.UploadId }), { ...until })
}
