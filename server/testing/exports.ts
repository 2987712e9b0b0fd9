import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExportJob } from '#lib/schemas/evidence.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { createExport } from '#server/evidence/create-export.ts'
import { archiveResponse, download } from '#server/evidence/download.ts'
import { getExport } from '#server/evidence/get-export.ts'
import { evidenceExports } from '#server/evidence/jobs/export-jobs.ts'
import { runExport } from '#server/evidence/jobs/run-export.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { execute } from '#server/kernel/operation.ts'
import { extractArchive } from './extract.ts'
import { asOwner } from './owner.ts'
import { type TestTenant, testRuntime, testTenant } from './tenant.ts'

/** From today's midnight (UTC) until tomorrow, with proofs. */
export const aroundNow = () => ({
  startDate: `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`,
  endDate: new Date(Date.now() + 24 * 3600 * 1000).toISOString(),
  includeProofs: true,
})

export const auditorOf = (tenant: TestTenant, name = 'vera') => tenant.as(name, { roles: ['auditor'] })

export const askForExport = async (caller: Caller, input: object = aroundNow()): Promise<string> =>
  (await execute(createExport, caller, input, { name: 'evidence.createExport' })).exportId

export const readExport = (caller: Caller, exportId: string) =>
  execute(getExport, caller, { exportId }, { name: 'evidence.getExport' })

export const fetchArchive = async (caller: Caller, exportId: string): Promise<Buffer> => {
  const found = await execute(download, caller, { exportId }, { name: 'evidence.download' })
  return Buffer.from(await (await archiveResponse(found, caller)).arrayBuffer())
}

export const parseLines = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

type ExportRuntime = Awaited<ReturnType<typeof exportRuntime>>

/**
 * A new tenant's archive with proofs, over yesterday, which is closed, and today, which is open, after `prepare`. Dates are
 * YYYY-MM-DD.
 */
export async function twoDaysArchive(
  runtime: ExportRuntime,
  prepare: (tenant: TestTenant, auditor: Caller) => Promise<void> = () => Promise.resolve(),
) {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  await prepare(tenant, auditor)
  await runtime.bindRows(tenant)
  const today = new Date().toISOString().slice(0, 10)
  const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)
  await asOwner(runtime, 'insert into audit_days (tenant_id, date, size) values ($1, $2, 0)', [tenant.id, yesterday])
  await signTenant(tenant.id)
  const job = await runtime.make(tenant, auditor, {
    startDate: `${yesterday}T00:00:00Z`,
    endDate: new Date(Date.now() + 86_400_000).toISOString(),
    includeProofs: true,
  })
  const bytes = await fetchArchive(auditor, job.exportId)
  return { tenant, auditor, today, yesterday, exportId: job.exportId, bytes }
}

/** Creates a runtime in which tests run exports themselves, until `startWorker()`. Close it in afterAll. */
export async function exportRuntime(environment: Record<string, string> = {}) {
  const runtime = await testRuntime({ environment })
  const folder = await mkdtemp(join(tmpdir(), 'export-'))
  let working = false
  await runtime.queue.work([
    { ...evidenceExports, run: (data, retries) => (working ? evidenceExports.run(data, retries) : Promise.resolve()) },
  ])
  return {
    ...runtime,
    tenant: () => testTenant(runtime),
    startWorker: () => {
      working = true
    },
    /** Binds all rows of the tenant to the log, as a worker does. */
    async bindRows(tenant: TestTenant): Promise<void> {
      if (!(await adoptTenant(tenant.id))) throw new Error('The rows could not be bound.')
    },
    /** Requests an export and runs its job to the end. */
    async make(tenant: TestTenant, caller: Caller, input?: object): Promise<ExportJob> {
      const exportId = await askForExport(caller, input)
      await runExport(tenant.id, exportId)
      return await readExport(caller, exportId)
    },
    /** The path of an archive. */
    archivePath: (tenant: TestTenant, name: string) => join(runtime.config.dataDir, 'evidence', tenant.id, name),
    /** The names of all files in the folder of archives. */
    files: async (tenant: TestTenant): Promise<string[]> =>
      (await readdir(join(runtime.config.dataDir, 'evidence', tenant.id)).catch(() => [])).sort(),
    /** The names of all files in the folder where archives are made. */
    scratch: async (): Promise<string[]> => (await readdir(runtime.config.exportTmpDir).catch(() => [])).sort(),
    /** Returns the audit actions of the tenant whose record contains `word`, in order. */
    actions: (tenant: TestTenant, word: string): Promise<string[]> =>
      runtime.database.inTenant(tenant.id, async (tx) => {
        const rows = await tx
          .selectFrom('auditRecords')
          .select(['type', 'record'])
          .where('tenantId', '=', tenant.id)
          .orderBy('date')
          .orderBy('seq')
          .execute()
        return rows.filter((row) => JSON.stringify(row.record).includes(word)).map((row) => row.type)
      }),
    /** Extracts an archive and reads its files. `top` is the path of its top folder. */
    async extract(name: string, bytes: Buffer) {
      const top = await extractArchive(bytes, join(folder, name))
      return {
        top,
        text: (path: string) => readFile(join(top, path), 'utf8'),
        bytes: (path: string) => readFile(join(top, path)),
      }
    },
    async close() {
      await runtime.close()
      await rm(folder, { recursive: true })
    },
  }
}
