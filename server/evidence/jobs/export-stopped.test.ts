import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { s3Server, s3Settings } from '#server/testing/fakes/s3-server.ts'
import { until } from '#server/testing/until.ts'

// SIGTERM of a real server while an archive needs longer than DRAIN_SECONDS. A lock that the test holds on one table, or a store
// that does not answer, stops the run there.

const drainSeconds = 2

let api: TestApi
let owner: Client
let store: Awaited<ReturnType<typeof s3Server>>
beforeAll(async () => {
  store = await s3Server()
  api = await startApi({
    ...s3Settings(store.url),
    EXPORT_STORE: 's3://evidence/archives',
    DRAIN_SECONDS: String(drainSeconds),
    LOG_LEVEL: 'info',
  })
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
}, 180_000)
afterEach(() => store.failWith(() => undefined))
afterAll(async () => {
  await owner.end()
  await api.close()
  await store.close()
})

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

/** Read from the table, because the API may wait for the lock as well. */
const statusOf = async (exportId: string) =>
  (await owner.query<{ status: string }>('select status from evidence_exports where id = $1', [exportId])).rows[0]
    ?.status
const reaches = (exportId: string, status: string) =>
  until(async () => (await statusOf(exportId)) === status || undefined, `the export was ${status}`, 90_000)
const jobsOf = async (exportId: string) =>
  (
    await owner.query<{ state: string; failures: number }>(
      'select state, retry_count as failures from pgboss.job where singleton_key = $1 and completed_on is null',
      [exportId],
    )
  ).rows

/** Stops the process as a supervisor does: SIGTERM, and SIGKILL ten seconds after DRAIN_SECONDS. */
async function stop(): Promise<void> {
  const { process } = api
  const exited = once(process, 'exit')
  process.kill('SIGTERM')
  const killing = setTimeout(() => process.kill('SIGKILL'), (drainSeconds + 10) * 1000)
  expect(await exited).toEqual([0, null])
  clearTimeout(killing)
}

async function isMadeByTheNext(exportId: string): Promise<void> {
  expect(await jobsOf(exportId)).toEqual([{ state: 'created', failures: 0 }])
  expect(api.logged()).not.toMatch(/a job failed|still open/)
  await api.killAndRestart()
  await reaches(exportId, 'completed')
  const { rows } = await owner.query<{ type: string }>(
    `select type from audit_records where record->'resource'->>'id' = $1 and type ~ 'completed|failed' order by date, seq`,
    [exportId],
  )
  expect(rows).toEqual([{ type: 'evidence_export.completed' }])
  expect(store.objects.size).toBe(1)
  expect(store.uploads.size).toBe(0)
}

test('an archive that is being made is left to the next process', async () => {
  store.objects.clear()
  await owner.query('begin; lock table telemetry_batches in access exclusive mode')
  const exportId = await ask()
  await reaches(exportId, 'collecting')
  await stop()
  await owner.query('rollback')
  expect(await readdir(join(dirname(api.gate), 'data', 'exports'))).toEqual([])
  await isMadeByTheNext(exportId)
}, 180_000)

test('an archive that is being stored is left to the next process', async () => {
  store.objects.clear()
  const reached = Promise.withResolvers<void>()
  store.failWith(({ operation }) => {
    if (operation !== 'UploadPart') return undefined
    reached.resolve()
    return 'hang'
  })
  const exportId = await ask()
  await reached.promise
  await stop()
  store.failWith(() => undefined)
  await isMadeByTheNext(exportId)
}, 180_000)
