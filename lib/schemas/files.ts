import { z } from 'zod'
import { Digest, Id, Time } from './common.ts'

/** The largest file, in bytes. */
export const maxFileBytes = 100 * 1024 * 1024

/** A received file: the route fills this from the body of `POST /v1/files` and the query parameter `name`. */
export const ReceivedFile = z.strictObject({
  /** The temporary name of the received bytes, until they are stored. */
  part: z.uuid(),
  name: z.string().min(1).max(255),
  mediaType: z.string().min(1).max(200),
  bytes: z.int().min(0).max(maxFileBytes),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
export type ReceivedFile = z.infer<typeof ReceivedFile>

export const StoredFile = z.object({
  id: Id,
  name: z.string(),
  mediaType: z.string(),
  bytes: z.int(),
  digest: Digest,
  createdAt: Time,
})
