import type { S3Client } from '@aws-sdk/client-s3'
import { runtime } from '#server/kernel/runtime.ts'

// The SDK is loaded when a store in S3 is first used: it needs 20 MB that an installation without one keeps.

export const s3 = () => import('@aws-sdk/client-s3')

// Owned by this module: one client for the process, which keeps its connections and credentials.
let client: S3Client | undefined

/** The client with the SDK's own settings (AWS_REGION, AWS_ENDPOINT_URL_S3, credentials of any kind). */
export async function clientOf(): Promise<S3Client> {
  if (client !== undefined) return client
  const { S3Client: Client } = await s3()
  client = new Client({
    // The caller tries again, with longer waits.
    maxAttempts: 2,
    forcePathStyle: runtime().config.s3Endpoint !== undefined,
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 60_000, throwOnRequestTimeout: true },
  })
  return client
}

/** Forgets the client, so that the next one reads the settings again. */
export function closeS3(): void {
  client?.destroy()
  client = undefined
}
