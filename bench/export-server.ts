import { join } from 'node:path'
import { Client } from 'pg'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { cipherOfApi } from '#server/testing/tenant-cipher.ts'
import { until } from '#server/testing/until.ts'
import { serverMemory } from '../cli/server-memory.mjs'
import { seedDay } from './seed-day.ts'

const dayMs = 24 * 3600 * 1000
const slug = 'northwind'
/** How often the job is asked for, since the server is charged for the answers, too; more often to watch its memory. */
const [askEveryMs, watchEveryMs] = [250, 50]

export type Exported = { archiveBytes: number; payloadBytes: number }

/** The server as it is installed, which exports one past day of the demo's tenant. */
export type ExportServer = {
  api: TestApi
  owner: Client
  tenant: { id: string; externalId: string }
  /** The day, YYYY-MM-DD (UTC). */
  date: string
  pid: number
  /** Exports the day and waits until it has completed. `watch` runs each time that the job is read. */
  exportDay(watch?: () => Promise<void>): Promise<Exported>
  close(): Promise<void>
}

/** Starts the server, with `records` records on the day. */
export async function openExportServer(records: number): Promise<ExportServer> {
  const { environment, options } = serverMemory
  const api = await startApi({
    NODE_ENV: 'production',
    // As `npm start` does.
    NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/compiled'),
    ...environment,
    NODE_OPTIONS: options.join(' '),
    LOG_LEVEL: 'info',
  })
  const owner = new Client({ connectionString: api.ownerUrl })
  const close = async () => {
    await owner.end()
    await api.close()
  }
  try {
    await owner.connect()
    const tenant = api.credentials.tenants.find((candidate) => candidate.slug === slug)
    if (tenant === undefined) throw new Error('The demo tenant was not found.')
    const date = new Date(Date.now() - dayMs).toISOString().slice(0, 10)
    // In one statement: the server signs whatever records it finds for a past day.
    await owner.query('begin')
    await seedDay({ tenant, owner }, date, records, await cipherOfApi(api))
    await owner.query('commit')
    return {
      api,
      owner,
      tenant,
      date,
      pid: api.process.pid ?? 0,
      exportDay: (watch) => exportDay(api, date, watch),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Exports one day of the demo's first tenant, and waits until it has completed. */
export async function exportDay(api: TestApi, date: string, watch?: () => Promise<void>): Promise<Exported> {
  const auditor = await api.client('audit-export')
  const created = await api.request(auditor, '/v1/evidence/export-jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      startDate: `${date}T00:00:00.000Z`,
      endDate: new Date(Date.parse(date) + dayMs).toISOString(),
      includeProofs: true,
    }),
  })
  if (created.status >= 300) throw new Error(`The export was answered with ${created.status}: ${created.text}`)
  const path = `/v1/evidence/factory/jobs/${(created.body as { exportId: string }).exportId}`
  const job = await until(
    async () => {
      await watch?.()
      const { body } = await api.request(auditor, path)
      const { status, archiveBytes, error } = body as { status: string; archiveBytes: number; error: unknown }
      const ended = ['completed', 'completed_with_omissions', 'failed'].includes(status)
      return ended ? { status, archiveBytes, error } : undefined
    },
    'the export ended',
    3_600_000,
    watch === undefined ? askEveryMs : watchEveryMs,
  )
  if (job.status === 'failed') throw new Error(`The export failed: ${JSON.stringify(job.error)}`)
  // Payload-Oxum is "<bytes>.<files>" (RFC 8493).
  const { payloadOxum } = (await api.request(auditor, `${path}/manifest`)).body as { payloadOxum: string }
  return { archiveBytes: job.archiveBytes, payloadBytes: Number.parseInt(payloadOxum, 10) }
}
