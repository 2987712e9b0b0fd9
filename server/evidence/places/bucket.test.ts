import { createHash, randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { cancelExport } from '#server/evidence/cancel-export.ts'
import { advance, claim } from '#server/evidence/jobs/export-claim.ts'
import { runExport } from '#server/evidence/jobs/run-export.ts'
import { execute } from '#server/kernel/operation.ts'
import { askForExport, auditorOf, exportRuntime, fetchArchive, readExport } from '#server/testing/exports.ts'
import { s3Server, s3Settings } from '#server/testing/fakes/s3-server.ts'
import { freePort } from '#server/testing/free-port.ts'
import { asOwner } from '#server/testing/owner.ts'
import { storeOf } from './place.ts'
import { closeS3 } from './s3-client.ts'

// Archives in an S3-compatible store that fails in every way.

let store: Awaited<ReturnType<typeof s3Server>>
let runtime: Awaited<ReturnType<typeof exportRuntime>>
const before = { ...process.env }
beforeAll(async () => {
  store = await s3Server()
  Object.assign(process.env, s3Settings(store.url))
  runtime = await exportRuntime({ EXPORT_STORE: 's3://evidence/archives', AWS_ENDPOINT_URL_S3: store.url })
})
afterAll(async () => {
  closeS3()
  for (const name of Object.keys(s3Settings(''))) delete process.env[name]
  Object.assign(process.env, before)
  await runtime.close()
  await store.close()
})
beforeEach(() => {
  store.objects.clear()
  store.uploads.clear()
  store.calls.length = 0
})
afterEach(() => store.failWith(() => undefined))

const unreachable = { status: 503, code: 'SlowDown' }
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

test('an archive is one object of the run, whole, and is downloaded from there', async () => {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  const job = await runtime.make(tenant, auditor)
  expect(job).toMatchObject({ status: 'completed' })
  expect([...store.objects.keys()]).toEqual([`archives/${tenant.id}/${job.exportId}-1.zip`])
  expect(await runtime.files(tenant)).toEqual([])
  const archive = await fetchArchive(auditor, job.exportId)
  expect(sha256(archive)).toBe(job.sha256)
  expect([...store.objects.values()].map(({ metadata }) => metadata)).toEqual([{ sha256: job.sha256 }])
})

test.each([
  ['refuses to begin', 'CreateMultipartUpload', unreachable],
  ['breaks off a part', 'UploadPart', 'reset' as const],
  ['reports that a part was damaged on the way', 'UploadPart', { status: 400, code: 'BadDigest' }],
  ['refuses the last step', 'CompleteMultipartUpload', unreachable],
  ['does the last step and loses the answer', 'CompleteMultipartUpload', 'lost' as const],
])(
  'a store that %s for a while is tried again',
  async (_how, operation, fault) => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    let left = 3
    store.failWith((call) => {
      if (call.operation !== operation || left === 0) return undefined
      left -= 1
      return fault
    })
    const job = await runtime.make(tenant, auditor)
    expect(job.status).toBe('completed')
    expect(left).toBeLessThan(3)
    expect([store.objects.size, store.uploads.size]).toEqual([1, 0])
    expect(sha256(await fetchArchive(auditor, job.exportId))).toBe(job.sha256)
  },
  60_000,
)

test.each([
  ['CreateMultipartUpload', '503 SlowDown'],
  ['UploadPart', '503 SlowDown'],
  ['CompleteMultipartUpload', '503 SlowDown'],
])(
  'when %s keeps failing, the export fails with the answer, and nothing is half there',
  async (operation, told) => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const exportId = await askForExport(auditor)
    await asOwner(runtime, `update evidence_exports set poll_timeout_ms = 0 where id = '${exportId}'`)
    store.failWith((call) => (call.operation === operation ? unreachable : undefined))
    await runExport(tenant.id, exportId)
    const job = await readExport(auditor, exportId)
    expect(job).toMatchObject({ status: 'failed', archiveName: null, error: { code: 'unavailable' } })
    expect(job.error?.message).toContain(`The store answered ${told}`)
    expect([store.objects.size, store.uploads.size]).toEqual([0, 0])
    await expect(fetchArchive(auditor, exportId)).rejects.toMatchObject({ code: 'conflict' })
  },
  60_000,
)

test('a store that refuses connections is tried again until the time limit; the export fails with that, and nothing is half there', async () => {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  closeS3()
  process.env.AWS_ENDPOINT_URL_S3 = `http://127.0.0.1:${await freePort()}`
  try {
    const exportId = await askForExport(auditor)
    await asOwner(runtime, `update evidence_exports set poll_timeout_ms = 10000 where id = '${exportId}'`)
    // A run ends before a pause that would last beyond the time limit. The queue then repeats it.
    const run = () =>
      runExport(tenant.id, exportId).catch((error: unknown) => expect(error).toMatchObject({ name: 'StoreFailed' }))
    do await run()
    while ((await readExport(auditor, exportId)).status !== 'failed')
    const job = await readExport(auditor, exportId)
    expect(job).toMatchObject({ status: 'failed', archiveName: null, sha256: null, error: { code: 'unavailable' } })
    expect(job.error?.message).toContain('The store can’t be reached (ECONNREFUSED).')
    await expect(fetchArchive(auditor, exportId)).rejects.toMatchObject({ code: 'conflict' })
    expect(await runtime.scratch()).toEqual([])
    expect(store.calls).toEqual([])
  } finally {
    closeS3()
    process.env.AWS_ENDPOINT_URL_S3 = store.url
  }
  expect((await runtime.make(tenant, auditor)).status).toBe('completed')
  expect([store.objects.size, store.uploads.size]).toEqual([1, 0])
}, 60_000)

test('canceling while it is stored ends the upload and removes its parts', async () => {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  const exportId = await askForExport(auditor)
  const uploading = Promise.withResolvers<void>()
  store.failWith(({ operation }) => {
    if (operation !== 'UploadPart') return undefined
    uploading.resolve()
    return 'hang'
  })
  const run = runExport(tenant.id, exportId)
  await uploading.promise
  const { revision, progress } = await readExport(auditor, exportId)
  expect(progress).toMatchObject({ stage: 'storing', unit: 'bytes' })
  const input = { exportId, expectedRevision: revision, reason: 'Wrong period.' }
  await execute(cancelExport, auditor, input, { name: 'evidence.cancelExport' })
  await run
  expect((await readExport(auditor, exportId)).status).toBe('canceled')
  expect([store.objects.size, store.uploads.size]).toEqual([0, 0])
  expect(await runtime.scratch()).toEqual([])
}, 60_000)

test('what a killed run left in the store is removed by the next one', async () => {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  const exportId = await askForExport(auditor)
  const left = `archives/${tenant.id}/${exportId}-1.zip`
  store.objects.set(left, { body: randomBytes(10), etag: '"x"', metadata: {} })
  store.uploads.set('left', { key: left, metadata: {}, parts: new Map() })
  const killed = await claim(tenant.id, exportId)
  if (killed === undefined) throw new Error('The export has ended.')
  await advance(killed, 'verifying')
  await asOwner(runtime, `update evidence_exports set archive_place = 's3://evidence/${left}' where id = '${exportId}'`)
  await runExport(tenant.id, exportId)
  expect((await readExport(auditor, exportId)).status).toBe('completed')
  expect([...store.objects.keys()]).toEqual([`archives/${tenant.id}/${exportId}-2.zip`])
  expect(store.uploads.size).toBe(0)
})

test('an object of another size or without an answer is not served', async () => {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  const job = await runtime.make(tenant, auditor)
  const [[key, object] = ['', undefined]] = [...store.objects]
  if (object === undefined) throw new Error('The archive was not stored.')
  store.objects.set(key, { ...object, body: object.body.subarray(1) })
  await expect(fetchArchive(auditor, job.exportId)).rejects.toMatchObject({ code: 'unavailable' })
  store.objects.delete(key)
  await expect(fetchArchive(auditor, job.exportId)).rejects.toMatchObject({ code: 'unavailable' })
  const archive = { tenantId: tenant.id, exportId: job.exportId, run: 2 }
  const missing = `s3://evidence/archives/${tenant.id}/${job.exportId}-2.zip`
  await expect(storeOf(missing).remove(missing, archive)).resolves.toBeUndefined()
})

test('a row that names the object of another export is neither served nor deleted', async () => {
  const [tenant, other] = [await runtime.tenant(), await runtime.tenant()]
  const auditor = await auditorOf(tenant)
  const job = await runtime.make(tenant, auditor)
  const foreign = await runtime.make(other, await auditorOf(other))
  const place = `s3://evidence/archives/${other.id}/${foreign.exportId}-1.zip`
  await asOwner(runtime, 'update evidence_exports set archive_place = $2 where id = $1', [job.exportId, place])
  await expect(fetchArchive(auditor, job.exportId)).rejects.toMatchObject({ code: 'unavailable' })
  const archive = { tenantId: tenant.id, exportId: job.exportId, run: 1 }
  await expect(storeOf(place).remove(place, archive)).rejects.toThrow('another object')
  expect(store.objects.size).toBe(2)
})
