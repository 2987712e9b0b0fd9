import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { CreateBucketCommand, ListMultipartUploadsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeS3 } from '#server/evidence/places/s3-client.ts'
import { purgeArchives } from '#server/evidence/retention/purge-archives.ts'
import { auditorOf, exportRuntime, fetchArchive } from '#server/testing/exports.ts'
import { s3Settings } from '#server/testing/fakes/s3-server.ts'
import { freePort } from '#server/testing/free-port.ts'
import { asOwner } from '#server/testing/owner.ts'
import { until } from '#server/testing/until.ts'

// The store of archives against an implementation of S3 that is not ours (moto).

let runtime: Awaited<ReturnType<typeof exportRuntime>>
let moto: ReturnType<typeof spawn>
let client: S3Client
beforeAll(async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  moto = spawn('moto_server', ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
  Object.assign(process.env, s3Settings(url))
  await until(
    () =>
      fetch(url).then(
        () => true,
        () => undefined,
      ),
    'the store answers',
  )
  client = new S3Client({ forcePathStyle: true })
  await client.send(
    new CreateBucketCommand({ Bucket: 'evidence', CreateBucketConfiguration: { LocationConstraint: 'eu-west-1' } }),
  )
  runtime = await exportRuntime({ EXPORT_STORE: 's3://evidence/archives', AWS_ENDPOINT_URL_S3: url })
})
afterAll(async () => {
  closeS3()
  client.destroy()
  await runtime.close()
  moto.kill()
  await once(moto, 'exit')
})

test('an archive is stored, downloaded whole, and deleted by the tenant’s retention', async () => {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  await asOwner(runtime, `update tenants set settings = '{"archiveRetentionDays": 30}' where id = '${tenant.id}'`)
  const job = await runtime.make(tenant, auditor)
  expect(job).toMatchObject({ status: 'completed', error: null })
  const archive = await fetchArchive(auditor, job.exportId)
  expect(createHash('sha256').update(archive).digest('hex')).toBe(job.sha256)
  const keys = async () => (await client.send(new ListObjectsV2Command({ Bucket: 'evidence' }))).Contents ?? []
  expect((await keys()).map(({ Key }) => Key)).toEqual([`archives/${tenant.id}/${job.exportId}-1.zip`])
  await purgeArchives(tenant.id, Date.now() + 31 * 86_400_000)
  expect(await keys()).toEqual([])
  expect((await client.send(new ListMultipartUploadsCommand({ Bucket: 'evidence' }))).Uploads ?? []).toEqual([])
  await expect(fetchArchive(auditor, job.exportId)).rejects.toMatchObject({ code: 'gone' })
})
