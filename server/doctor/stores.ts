import { randomBytes } from 'node:crypto'
import { NoTimeStamp, requestTimeStamp } from '#server/evidence/archive/time-stamp.ts'
import type { Config } from '#server/kernel/config.ts'
import { openS3, s3 } from '#server/kernel/net/s3.ts'
import type { S3Location } from '#server/kernel/s3-location.ts'
import { type Finding, failed, ok, reasonOf, warning } from './findings.ts'

const openStore = ({ s3Endpoint }: Config) => openS3({ endpoint: s3Endpoint, maxAttempts: 1, waitMs: 10_000 })
const rights = {
  EXPORT_STORE:
    's3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload, s3:ListBucket and s3:ListBucketMultipartUploads',
  SIGNER_MEMORY: 's3:GetObject, s3:PutObject and s3:ListBucket',
}

/** The stores of archives and of the signer's memory, and the time-stamping authority. Writes nothing. */
export async function checkStores(config: Config): Promise<Finding[]> {
  const { exportStore, signerMemory, tsaUrl } = config
  return [
    ...(exportStore === undefined
      ? []
      : [await readable('EXPORT_STORE', exportStore, config), ...(await keptVersions(exportStore, config))]),
    ...(signerMemory === 'file' ? [] : [await readable('SIGNER_MEMORY', signerMemory, config)]),
    ...(tsaUrl === undefined ? [] : [await timeStamped(tsaUrl)]),
  ]
}

/** Reads an object that does not exist, which a store only says to an account that may list there; to others it answers 403. */
async function readable(name: keyof typeof rights, { bucket, prefix }: S3Location, config: Config): Promise<Finding> {
  const { GetObjectCommand, S3ServiceException } = await s3()
  const client = await openStore(config)
  const place = `${name}: the bucket ${bucket}`
  try {
    await client.send(new GetObjectCommand({ Bucket: bucket, Key: `${prefix}of-no-object` }))
    return ok('Stores', `${place} answers`)
  } catch (error) {
    if (!(error instanceof S3ServiceException))
      return failed(
        'Stores',
        `${place} can't be reached (${reasonOf(error)}).`,
        'Check the AWS_ variables and the network.',
      )
    if (error.name === 'NoSuchKey') return ok('Stores', `${place} answers, and lets this server read`)
    // Without an answer that nothing was signed yet, a new log is never signed.
    const finding = name === 'SIGNER_MEMORY' ? failed : warning
    if (error.$metadata.httpStatusCode === 403)
      return finding('Stores', `${place} answers 403 (${error.name}).`, `Check the account; it needs ${rights[name]}.`)
    return failed(
      'Stores',
      `${place} answers ${error.name}.`,
      'Check the name of the bucket, the region and the account.',
    )
  } finally {
    client.destroy()
  }
}

/** Says so if the bucket keeps what this server deletes. Nothing if it does not, or if the account may not read that. */
async function keptVersions({ bucket }: S3Location, config: Config): Promise<Finding[]> {
  const { GetBucketVersioningCommand } = await s3()
  const client = await openStore(config)
  try {
    const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket: bucket }))
    if (Status === undefined) return []
    const text = `EXPORT_STORE: the bucket ${bucket} has versions, so it keeps archives that retention or an erasure deletes.`
    return [warning('Stores', text, 'Let a lifecycle rule of the bucket expire noncurrent versions.')]
  } catch {
    // What else is wrong with the store, the line about reading says.
    return []
  } finally {
    client.destroy()
  }
}

async function timeStamped(url: string): Promise<Finding> {
  const { host } = new URL(url)
  try {
    await requestTimeStamp(url, randomBytes(32))
    return ok('Stores', `TSA_URL: ${host} has stamped random bytes`)
  } catch (error) {
    if (!(error instanceof NoTimeStamp)) throw error
    return failed(
      'Stores',
      `TSA_URL: ${host}: ${error.message}`,
      'Check the address: exports fail without a time-stamp.',
    )
  }
}
