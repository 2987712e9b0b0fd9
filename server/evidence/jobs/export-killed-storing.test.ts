import { createHash } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { type Fault, type S3Call, s3Server, s3Settings } from '#server/testing/fakes/s3-server.ts'
import { sized } from '#server/testing/properties/counts.ts'
import { until } from '#server/testing/until.ts'

// kill -9 of a real server from the moment when the archive is written until its row names it. The store is a process that
// survives, and holds the run where it is killed.

let api: TestApi
let store: Awaited<ReturnType<typeof s3Server>>
let tenantId: string
beforeAll(async () => {
  store = await s3Server()
  api = await startApi({ ...s3Settings(store.url), EXPORT_STORE: 's3://evidence/archives' })
  tenantId = api.credentials.tenants.find(({ slug }) => slug === 'northwind')?.id ?? ''
}, 180_000)
afterEach(() => store.failWith(() => undefined))
afterAll(async () => {
  await api.close()
  await store.close()
})

async function rowsOf<Row extends object>(statement: string, values: unknown[]): Promise<Row[]> {
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  try {
    return (await owner.query<Row>(statement, values)).rows
  } finally {
    await owner.end()
  }
}

async function ask(): Promise<string> {
  const created = await api.request(await api.client('audit-export'), '/v1/evidence/export-jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      startDate: new Date(Date.now() - 3_600_000).toISOString(),
      endDate: new Date(Date.now() + 24 * 3_600_000).toISOString(),
      includeProofs: true,
    }),
  })
  expect([created.status, created.text]).toEqual([202, expect.any(String)])
  return (created.body as { exportId: string }).exportId
}

type Job = { status: string; error: unknown; sha256: string }
const endOf = (exportId: string) =>
  until(
    async () => {
      const token = await api.client('audit-export')
      const job = (await api.request(token, `/v1/evidence/factory/jobs/${exportId}`)).body as Job
      return /^(completed|failed|canceled)/.test(job.status) ? job : undefined
    },
    'the export ended',
    120_000,
  )

/** The store holds each call for which `fault` says so; `reached` resolves with the first one that hangs. */
function holdAt(fault: (call: S3Call) => Fault | undefined): { reached: Promise<void> } {
  const reached = Promise.withResolvers<void>()
  store.failWith((call) => {
    const found = fault(call)
    if (found === 'hang') reached.resolve()
    return found
  })
  return { reached: reached.promise }
}

const atOperation =
  (name: string, fault: Fault = 'hang') =>
  ({ operation }: S3Call) =>
    operation === name ? fault : undefined
const everyMoment: [string, (call: S3Call) => Fault | undefined, { objects: number; uploads: number }][] = [
  ['with the archive in the store and no row that names it', lostAnswer, { objects: 1, uploads: 0 }],
  ['before the upload has begun', atOperation('CreateMultipartUpload'), { objects: 0, uploads: 0 }],
  ['while a part is sent', atOperation('UploadPart'), { objects: 0, uploads: 1 }],
  ['with all parts sent', atOperation('CompleteMultipartUpload'), { objects: 0, uploads: 1 }],
]

/** The last step is done and its answer lost, and the store has not yet answered whether it was done. */
function lostAnswer(call: S3Call): Fault | undefined {
  return atOperation('CompleteMultipartUpload', 'lost')(call) ?? atOperation('HeadObject')(call)
}

test.each(sized(everyMoment, everyMoment.slice(0, 1)))(
  'killed %s, the export ends once, with one archive and no parts in the store',
  async (_moment, fault, left) => {
    store.objects.clear()
    store.uploads.clear()
    const { reached } = holdAt(fault)
    const exportId = await ask()
    await reached
    expect({ objects: store.objects.size, uploads: store.uploads.size }).toEqual(left)
    await api.killAndRestart(async () => store.failWith(() => undefined))
    const job = await endOf(exportId)
    expect(job).toMatchObject({ error: null, status: expect.stringMatching(/^completed/) })
    expect([...store.objects.keys()]).toEqual([`archives/${tenantId}/${exportId}-2.zip`])
    expect(store.uploads.size).toBe(0)
    const token = await api.client('audit-export')
    const answer = await fetch(`${api.baseUrl}/v1/evidence/factory/jobs/${exportId}/download`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const digest = createHash('sha256')
      .update(Buffer.from(await answer.arrayBuffer()))
      .digest('hex')
    expect(digest).toBe(job.sha256)
    const ended = await rowsOf(
      `select 1 from audit_records where tenant_id = $1 and record->'resource'->>'id' = $2
         and type in ('evidence_export.completed', 'evidence_export.completed_with_omissions')`,
      [tenantId, exportId],
    )
    expect(ended).toHaveLength(1)
  },
  240_000,
)

test('two exports at the same time end with an archive each', async () => {
  store.objects.clear()
  const exports = await Promise.all([ask(), ask()])
  const jobs = await Promise.all(exports.map(endOf))
  expect(jobs.map(({ error }) => error)).toEqual([null, null])
  const stored = exports.map((exportId) => store.objects.get(`archives/${tenantId}/${exportId}-1.zip`)?.body)
  expect(
    stored.map((body) =>
      createHash('sha256')
        .update(body ?? '')
        .digest('hex'),
    ),
  ).toEqual(jobs.map(({ sha256 }) => sha256))
  expect(store.objects.size).toBe(2)
}, 120_000)
