import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { askForExport, auditorOf, exportRuntime, fetchArchive, readExport } from '#server/testing/exports.ts'
import { asOwner, connectAsOwner } from '#server/testing/owner.ts'
import { fill, mayMount, otherData, withSmallDisk } from '#server/testing/small-disk.ts'
import type { TestTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { runExport } from './run-export.ts'

// The disk is full while an archive is written, or stored. The process of the export is stopped in the middle by a lock on a
// table that it reads.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
})
afterAll(() => runtime.close())

/** Begins an export that is not tried again, and stops it while it writes its archive, until `release`. */
async function stoppedExport({ lastRun }: { lastRun: boolean }) {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  const exportId = await askForExport(auditor)
  if (lastRun) await endsWithNextRun(exportId)
  const holder = await connectAsOwner(runtime)
  await holder.query('begin; lock table policy_versions in access exclusive mode')
  const ran = runExport(tenant.id, exportId).then(
    () => undefined,
    (error: unknown) => error,
  )
  await until(
    async () => ((await readExport(auditor, exportId)).status === 'collecting' ? true : undefined),
    'its process writes the file',
  )
  const pid = await until(exportProcess, 'its process is found')
  return { tenant, auditor, exportId, ran, pid, release: () => holder.end() }
}

/** Its time limit is over, so that it ends with the first failure. */
const endsWithNextRun = (exportId: string) =>
  asOwner(runtime, `update evidence_exports set poll_timeout_ms = 0 where id = '${exportId}'`)

/** The process of the export that this process has started. */
async function exportProcess(): Promise<number | undefined> {
  const tasks = await readdir('/proc/self/task')
  const lists = await Promise.all(tasks.map((task) => readFile(`/proc/self/task/${task}/children`, 'utf8')))
  for (const pid of lists.join(' ').split(' ').map(Number))
    if (pid > 0 && (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes('export-process'))
      return pid
  return undefined
}

async function nothingIsLeft(tenant: TestTenant, auditor: Caller, exportId: string): Promise<void> {
  expect((await runtime.files(tenant)).filter((name) => name !== otherData)).toEqual([])
  expect((await runtime.scratch()).filter((name) => name !== otherData)).toEqual([])
  expect(await readExport(auditor, exportId)).toMatchObject({ sha256: null, archiveBytes: null, archiveName: null })
  await expect(fetchArchive(auditor, exportId)).rejects.toMatchObject({
    code: expect.stringMatching(/^(conflict|not_ready)$/),
  })
}

test('a file that may not become larger: nothing is left of the run, and the next one succeeds', async () => {
  const { tenant, auditor, exportId, ran, pid, release } = await stoppedExport({ lastRun: false })
  execFileSync('prlimit', ['--pid', String(pid), '--fsize=4096'])
  await release()
  expect(await ran).toMatchObject({ name: 'NoSpace', cause: { message: expect.stringContaining('EFBIG') } })
  await nothingIsLeft(tenant, auditor, exportId)
  await runExport(tenant.id, exportId)
  expect((await readExport(auditor, exportId)).status).toBe('completed')
  expect(await runtime.scratch()).toEqual([])
})

test.runIf(mayMount)('a disk that becomes full while the archive is made: failed, with that cause', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-small-'))
  const before = runtime.config.exportTmpDir
  runtime.config.exportTmpDir = folder
  try {
    await withSmallDisk(folder, async () => {
      const { tenant, auditor, exportId, ran, release } = await stoppedExport({ lastRun: true })
      await fill(folder)
      await release()
      expect(await ran).toBeUndefined()
      expect(await readExport(auditor, exportId)).toMatchObject({
        status: 'failed',
        error: { code: 'unavailable', message: expect.stringContaining('folder for making archives is full') },
      })
      await nothingIsLeft(tenant, auditor, exportId)
    })
  } finally {
    runtime.config.exportTmpDir = before
    await rm(folder, { recursive: true })
  }
})

test.runIf(mayMount)('a full disk for the finished archives: failed, with its answer', async () => {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  const exportId = await askForExport(auditor)
  const folder = join(runtime.archivePath(tenant, ''))
  await withSmallDisk(folder, async () => {
    await fill(folder)
    await endsWithNextRun(exportId)
    await runExport(tenant.id, exportId)
    expect(await readExport(auditor, exportId)).toMatchObject({
      status: 'failed',
      error: {
        code: 'unavailable',
        message: expect.stringMatching(/could not be stored\. The folder of archives answered ENOSPC\./),
      },
    })
    await nothingIsLeft(tenant, auditor, exportId)
  })
})
