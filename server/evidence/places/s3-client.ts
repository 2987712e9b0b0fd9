import type { S3Client } from '@aws-sdk/client-s3'
import { openS3 } from '#server/kernel/net/s3.ts'
import { runtime } from '#server/kernel/runtime.ts'

const waitMs = 60_000

// Owned by this module: one client for the process, which keeps its connections and credentials.
let client: S3Client | undefined

export async function clientOf(): Promise<S3Client> {
  // The caller tries again, with longer waits.
  client ??= await openS3({ endpoint: runtime().config.s3Endpoint, maxAttempts: 2, waitMs })
  return client
}

/** Forgets the client, so that the next one reads the settings again. */
export function closeS3(): void {
  client?.destroy()
  client = undefined
}
