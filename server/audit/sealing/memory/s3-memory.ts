import type { S3Client } from '@aws-sdk/client-s3'
import { openS3, s3 } from '#server/kernel/net/s3.ts'
import { cutSignal } from '#server/kernel/runtime.ts'
import type { S3Location } from '#server/kernel/s3-location.ts'
import type { MemoryStore } from './memory-store.ts'

const waitMs = 10_000

/**
 * The signer's memory in an S3-compatible store, for workers on machines that share no disk: one object for each tenant,
 * which a writer replaces only if it is the one that it has read (If-Match, If-None-Match). The store must support these.
 */
export function s3Memory({ bucket, prefix }: S3Location, endpoint: string | undefined): MemoryStore {
  let client: Promise<S3Client> | undefined
  const connected = () => {
    client ??= openS3({ endpoint, maxAttempts: 3, waitMs, cut: cutSignal })
    return client
  }
  const at = (tenantId: string) => ({ Bucket: bucket, Key: `${prefix}signer-memory/${tenantId}.json` })
  return {
    async read(tenantId) {
      const { GetObjectCommand, NoSuchKey } = await s3()
      try {
        const { Body, ETag } = await (await connected()).send(new GetObjectCommand(at(tenantId)))
        if (Body === undefined || ETag === undefined) throw new Error('The store returned an object without its tag.')
        return { text: await Body.transformToString(), version: ETag }
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined
        throw error
      }
    },
    async write(tenantId, text, replaces) {
      const { PutObjectCommand, S3ServiceException } = await s3()
      const condition = replaces === undefined ? { IfNoneMatch: '*' } : { IfMatch: replaces }
      try {
        await (await connected()).send(
          new PutObjectCommand({
            ...at(tenantId),
            ...condition,
            Body: text,
            ContentType: 'application/json',
            ChecksumAlgorithm: 'SHA256',
          }),
        )
        return true
      } catch (error) {
        // 409: another conditional write is under way; 404: the object to replace was deleted.
        const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
        if (status === 412 || status === 409 || (status === 404 && replaces !== undefined)) return false
        throw error
      }
    },
  }
}
