import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { exportStages } from '#lib/schemas/evidence.ts'
import { listAlarms } from '#server/audit/alarms/list.ts'
import { cancelExport } from '#server/evidence/cancel-export.ts'
import { currentStore } from '#server/evidence/places/place.ts'
import { setPlace } from '#server/evidence/store.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { execute } from '#server/kernel/operation.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { askForExport, auditorOf, exportRuntime, fetchArchive, readExport } from '#server/testing/exports.ts'
import { asOwner, connectAsOwner } from '#server/testing/owner.ts'
import type { TestTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { advance, claim, Superseded, stillOursNowAndThen } from './export-claim.ts'
import { runExport } from './run-export.ts'

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
})
afterAll(() => runtime.close())

/** A run that reached `status` and was killed. */
async function interruptedIn(tenant: TestTenant, exportId: string, status: Parameters<typeof advance>[1]) {
  const run = await claim(tenant.id, exportId)
  if (run === undefined) throw new Error('The export has ended.')
  await advance(run, status)
  if (status !== 'verifying') return
  // It began to store the archive.
  const { row } = run
  const place = currentStore().placeFor({ tenantId: tenant.id, exportId, run: row.run })
  await runtime.database.inTenant(tenant.id, (tx) =>
    setPlace(tx, { tenantId: tenant.id, id: exportId, run: row.run }, place),
  )
  const stored = runtime.archivePath(tenant, `${exportId}.0badcafe.part`)
  await mkdir(dirname(stored), { recursive: true })
  await writeFile(stored, 'PK')
}

describe('a run that was interrupted', () => {
  const stages = ['preflight', 'collecting', 'sealing', 'verifying'] as const
  test.each(stages)('in %s starts the file again', async (status) => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const exportId = await askForExport(auditor)
    // The state that kill -9 leaves: half a file and an unfinished row.
    await mkdir(runtime.config.exportTmpDir, { recursive: true })
    await writeFile(join(runtime.config.exportTmpDir, `${tenant.id}.${exportId}.1.zip`), 'PK')
    await interruptedIn(tenant, exportId, status)
    await runExport(tenant.id, exportId)
    expect((await readExport(auditor, exportId)).status).toBe('completed')
    expect(await runtime.files(tenant)).toEqual([`${exportId}.zip`])
    expect(await runtime.scratch()).toEqual([])
    const { top } = await runtime.extract(`again-${status}`, await fetchArchive(auditor, exportId))
    expect(spawnSync('sha256sum', ['-c', 'manifest-sha256.txt'], { cwd: top }).status).toBe(0)
  })

  test('publishes nothing when it continues alongside its successor: one archive, one manifest', async () => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const exportId = await askForExport(auditor)
    await Promise.all([runExport(tenant.id, exportId), runExport(tenant.id, exportId), runExport(tenant.id, exportId)])
    const job = await readExport(auditor, exportId)
    expect(job.status).toBe('completed')
    const { top } = await runtime.extract('raced', await fetchArchive(auditor, exportId))
    const sha256 = createHash('sha256')
      .update(await readFile(join(top, 'manifest.json')))
      .digest('hex')
    expect(sha256).toBe(job.manifestSha256)
    expect((await runtime.actions(tenant, exportId)).filter((action) => action.endsWith('.completed'))).toHaveLength(1)
  })

  test('shows its stages, their times, and the size and digest of the ZIP', async () => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const job = await runtime.make(tenant, auditor)
    const archive = await fetchArchive(auditor, job.exportId)
    expect(job).toMatchObject({
      progress: null,
      archiveBytes: archive.length,
      sha256: createHash('sha256').update(archive).digest('hex'),
      archiveGone: null,
      expiresAt: null,
    })
    expect(job.stages.map(({ stage }) => stage)).toEqual([...exportStages])
    expect(job.stages.map(({ at }) => at)).toEqual(job.stages.map(({ at }) => at).toSorted())
  })

  test('stops with the reason when the folder for making archives is full', async () => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const exportId = await askForExport(auditor)
    const dataDir = runtime.config.exportTmpDir
    // A file system without free blocks; writing to it would fail the same way.
    runtime.config.exportTmpDir = '/proc'
    try {
      await expect(runExport(tenant.id, exportId)).rejects.toMatchObject({ name: 'NoSpace' })
      await asOwner(runtime, `update evidence_exports set poll_timeout_ms = 0 where id = '${exportId}'`)
      await runExport(tenant.id, exportId)
    } finally {
      runtime.config.exportTmpDir = dataDir
    }
    const job = await readExport(auditor, exportId)
    expect(job).toMatchObject({ status: 'failed', error: { code: 'unavailable' } })
    expect(job.error?.message).toContain('free in the server’s folder')
  })

  test('ends at its time limit by the database’s clock, not by that of a process that is ahead', async () => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const exportId = await askForExport(auditor)
    const dataDir = runtime.config.exportTmpDir
    runtime.config.exportTmpDir = '/proc'
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 86_400_000 })
    try {
      await expect(runExport(tenant.id, exportId)).rejects.toMatchObject({ name: 'NoSpace' })
    } finally {
      vi.useRealTimers()
      runtime.config.exportTmpDir = dataDir
    }
    await runExport(tenant.id, exportId)
    expect((await readExport(auditor, exportId)).status).toBe('completed')
  })

  test('waits while the log is not signed, without an alarm, and ends with that reason at its time limit', async () => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const exportId = await askForExport(auditor)
    const unnamed = new Client({ connectionString: runtime.database.url })
    await unnamed.connect()
    // A process that starts now finds the connection, which counts as one of an older version.
    const database = openDatabase(runtime.database.url, runtime.log, { poolSize: 4 })
    setRuntime({ ...runtime, database })
    try {
      await expect(runExport(tenant.id, exportId)).rejects.toMatchObject({ name: 'SigningWaits' })
      expect((await readExport(auditor, exportId)).status).toBe('preflight')
      await asOwner(runtime, `update evidence_exports set poll_timeout_ms = 0 where id = '${exportId}'`)
      await runExport(tenant.id, exportId)
    } finally {
      setRuntime(runtime)
      await database.close()
      await unnamed.end()
    }
    const { status, error } = await readExport(auditor, exportId)
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: 'unavailable' })
    expect(error?.message).toMatch(/not signed while a process of an older version is connected.*Request a new export/)
    const { items } = await execute(listAlarms, auditor, {}, { name: 'alarms.list' })
    expect(items).toEqual([])
  })

  test('does nothing once the export has ended', async () => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const job = await runtime.make(tenant, auditor)
    await runExport(tenant.id, job.exportId)
    expect(await readExport(auditor, job.exportId)).toEqual(job)
  })
})

describe('a log that is broken fails the export', () => {
  test.each([
    [
      'a changed record',
      `update audit_records set record = jsonb_set(record, '{action}', '"x"') where tenant_id = $1 and seq = 1`,
    ],
    ['a removed record', 'delete from audit_records where tenant_id = $1 and seq = 1'],
    ['a changed leaf hash', `update audit_records set leaf_hash = sha256('x') where tenant_id = $1 and seq = 1`],
    ['exchanged nonces', `update audit_records set nonce = sha256('x') where tenant_id = $1 and seq = 0`],
    [
      'a nonce without its end',
      `update audit_records set nonce = substr(nonce, 1, 31) where tenant_id = $1 and seq = 1`,
    ],
  ])('%s', async (_name, change) => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const exportId = await askForExport(auditor)
    await asOwner(runtime, change, [tenant.id])
    await runExport(tenant.id, exportId)
    const job = await readExport(auditor, exportId)
    expect(job).toMatchObject({ status: 'failed', error: { code: 'integrity_failed' }, archiveName: null })
    expect(job.error?.message).toMatch(/record|Record/)
    const { items } = await execute(listAlarms, auditor, { status: 'open' }, { name: 'alarms.list' })
    expect(items.filter(({ kind }) => kind === 'preflight' || kind === 'export')).toMatchObject([
      { reason: job.error?.message, count: 1 },
    ])
    expect(await runtime.files(tenant)).toEqual([])
    await expect(fetchArchive(auditor, exportId)).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('canceling', () => {
  test('ends the export permanently, once, at the expected revision', async () => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const exportId = await askForExport(auditor)
    const cancel = (expectedRevision: number) =>
      execute(
        cancelExport,
        auditor,
        { exportId, expectedRevision, reason: 'Wrong period.' },
        { name: 'evidence.cancelExport' },
      )
    await expect(cancel(7)).rejects.toMatchObject({ code: 'revision_conflict', details: { revision: 1 } })
    expect(await cancel(1)).toMatchObject({ status: 'canceled', revision: 2 })
    await runExport(tenant.id, exportId)
    expect((await readExport(auditor, exportId)).status).toBe('canceled')
    await expect(cancel(2)).rejects.toMatchObject({ code: 'conflict' })
    expect(await runtime.actions(tenant, exportId)).toEqual(['evidence_export.created', 'evidence_export.canceled'])
  })

  test('stops a run in progress and removes its file', async () => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const exportId = await askForExport(auditor)
    const holder = await connectAsOwner(runtime)
    await holder.query('begin; lock table policy_versions in access exclusive mode')
    const run = runExport(tenant.id, exportId)
    const { revision } = await until(async () => {
      const job = await readExport(auditor, exportId)
      return job.status === 'collecting' && (await runtime.scratch()).length === 1 ? job : undefined
    }, 'its process writes the file')
    const input = { exportId, expectedRevision: revision, reason: 'Wrong period.' }
    await execute(cancelExport, auditor, input, { name: 'evidence.cancelExport' })
    // The process waits for the lock, and is killed nevertheless.
    await run
    await holder.end()
    expect((await readExport(auditor, exportId)).status).toBe('canceled')
    expect(await runtime.files(tenant)).toEqual([])
    expect(await runtime.scratch()).toEqual([])
  })
})

test('before each of many files a run looks now and then whether the export is still its own', async () => {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  const exportId = await askForExport(auditor)
  const run = await claim(tenant.id, exportId)
  if (run === undefined) throw new Error('The export was not claimed.')
  const transactions = vi.spyOn(runtime.database, 'inTenant')
  const stillOurs = stillOursNowAndThen(run)
  for (let file = 0; file < 1000; file++) await stillOurs()
  expect(transactions.mock.calls.length).toBeGreaterThan(0)
  expect(transactions.mock.calls.length).toBeLessThan(100)
  transactions.mockRestore()
  const { revision } = await readExport(auditor, exportId)
  const input = { exportId, expectedRevision: revision, reason: 'Wrong period.' }
  await execute(cancelExport, auditor, input, { name: 'evidence.cancelExport' })
  const found = await until(
    () =>
      stillOurs().then(
        () => undefined,
        (error: unknown) => error,
      ),
    'the run is told',
  )
  expect(found).toBeInstanceOf(Superseded)
})

test('the queue creates the requested archive', async () => {
  runtime.startWorker()
  const auditor = await auditorOf(await runtime.tenant())
  const exportId = await askForExport(auditor)
  await until(
    async () => ((await readExport(auditor, exportId)).status === 'completed' ? true : undefined),
    'the export is completed',
  )
})
