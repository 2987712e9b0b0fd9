import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listAlarms } from '#server/audit/alarms/list.ts'
import { cancelExport } from '#server/evidence/cancel-export.ts'
import { execute } from '#server/kernel/operation.ts'
import { askForExport, auditorOf, exportRuntime, fetchArchive, readExport } from '#server/testing/exports.ts'
import { asOwner, connectAsOwner } from '#server/testing/owner.ts'
import { runExport } from './run-export.ts'

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
})
afterAll(() => runtime.close())

describe('a run that was interrupted', () => {
  test.each(['preflight', 'collecting', 'sealing'])('in %s starts the file again', async (status) => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const { exportId } = await runtime.make(tenant, auditor)
    // The state that kill -9 leaves: half a file and an unfinished row.
    await writeFile(runtime.archivePath(tenant, `${exportId}.0badcafe.part`), 'PK')
    await asOwner(
      runtime,
      `update evidence_exports set status = '${status}', manifest = null, manifest_sha256 = null, archive_name = null,
         archive_bytes = null, ended_at = null where id = '${exportId}'`,
    )
    await runExport(tenant.id, exportId)
    expect((await readExport(auditor, exportId)).status).toBe('completed')
    expect(await runtime.files(tenant)).toEqual([`${exportId}.zip`])
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
    await expect.poll(() => runtime.files(tenant)).toHaveLength(1)
    const { revision, status } = await readExport(auditor, exportId)
    expect(status).toBe('collecting')
    const input = { exportId, expectedRevision: revision, reason: 'Wrong period.' }
    await execute(cancelExport, auditor, input, { name: 'evidence.cancelExport' })
    await holder.end()
    await run
    expect((await readExport(auditor, exportId)).status).toBe('canceled')
    expect(await runtime.files(tenant)).toEqual([])
  })
})

test('the queue creates the requested archive', async () => {
  runtime.startWorker()
  const auditor = await auditorOf(await runtime.tenant())
  const exportId = await askForExport(auditor)
  await expect.poll(async () => (await readExport(auditor, exportId)).status).toBe('completed')
})
