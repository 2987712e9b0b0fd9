import { readdir, readFile } from 'node:fs/promises'
import { Client } from 'pg'
import { startApi } from '#server/testing/api.ts'
import { cipherOfApi } from '#server/testing/tenant-cipher.ts'
import { until } from '#server/testing/until.ts'
import { serverMemory } from '../../cli/server-memory.mjs'
import { type Figure, figure, number } from '../report.ts'
import { seedDay } from '../seed-day.ts'

const maxRssMb = 250
const records = 50_000
/** Bytes of a span of this case as a line of the archive. */
const bytesPerSpan = 2300

/** One export of about this many bytes, whose process must not grow with the archive's size. */
export async function exportMemory(gigabytes: number): Promise<Figure[]> {
  const { environment, options } = serverMemory
  const api = await startApi({ NODE_ENV: 'production', ...environment, NODE_OPTIONS: options.join(' ') })
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  try {
    const tenant = api.credentials.tenants.find(({ slug }) => slug === 'northwind')
    if (tenant === undefined) throw new Error('The demo tenant was not found.')
    const date = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    // In one statement: the server signs whatever records it finds for a past day.
    await owner.query('begin')
    await seedDay({ tenant, owner }, date, records, await cipherOfApi(api))
    await owner.query('commit')
    await seedSpans(owner, tenant.id, date, Math.round((gigabytes * 1e9) / bytesPerSpan))
    const pid = api.process.pid ?? 0
    const before = await peakMb(pid)
    const auditor = await api.client('audit-export')
    const since = performance.now()
    const created = await api.request(auditor, '/v1/evidence/export-jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        startDate: `${date}T00:00:00.000Z`,
        endDate: new Date(Date.parse(date) + 86_400_000).toISOString(),
        includeProofs: true,
      }),
    })
    const { exportId } = created.body as { exportId: string }
    const path = `/v1/evidence/factory/jobs/${exportId}`
    let child = 0
    const job = await until(
      async () => {
        child = Math.max(child, ...(await Promise.all((await childrenOf(pid)).map(peakMb))))
        const { body } = await api.request(auditor, path)
        const { status, archiveBytes } = body as { status: string; archiveBytes: number }
        return ['completed', 'failed'].includes(status) ? { status, archiveBytes } : undefined
      },
      'the export ended',
      3_600_000,
    )
    const seconds = (performance.now() - since) / 1000
    if (job.status !== 'completed') throw new Error('The export failed.')
    const manifest = (await api.request(auditor, `${path}/manifest`)).body as { payloadOxum: string }
    const payloadMb = Number.parseInt(manifest.payloadOxum, 10) / 1e6
    const peak = await peakMb(pid)
    return [
      figure({
        case: 11,
        job: `one export of ${number(payloadMb)} MB: highest RSS of its process`,
        ours: `${number(child)} MB`,
        target: `≤ ${maxRssMb} MB`,
        met: child > 0 && child <= maxRssMb ? 'yes' : 'no',
        note: `the server: ${number(before)} MB before it, ${number(peak)} MB after it; ${number(job.archiveBytes / 1e6)} MB as a ZIP in ${number(seconds)} s`,
      }),
    ]
  } finally {
    await owner.end()
    await api.close()
  }
}

const peakMb = async (pid: number): Promise<number> =>
  // 0: the process has ended.
  Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))?.[1] ?? 0) / 1024

/** The processes that the server has started and that still run. */
async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`)
  const lists = await Promise.all(tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8')))
  return lists.flatMap((list) =>
    list
      .split(' ')
      .filter((one) => one !== '')
      .map(Number),
  )
}

/** Spans with one attribute that hardly compresses. */
async function seedSpans(owner: Client, tenantId: string, date: string, count: number): Promise<void> {
  await owner.query(
    `insert into spans (tenant_id, day, trace_id, span_id, origin, name, kind, status, attributes, events, links, facts,
       started_at, ended_at, start_change)
     select $1, $2::date, lpad(to_hex(n / 1000), 32, '0'), lpad(to_hex(n), 16, '0'), 'telemetry', 'work', 'tool', 'ok',
       jsonb_build_array(jsonb_build_object('key', 'text', 'value',
         (select string_agg(md5(n::text || part), '') from generate_series(1, 57) part))),
       '[]', '[]', '{}', $2::date + n * interval '1 millisecond' / 10, $2::date + n * interval '1 millisecond' / 10, n
     from generate_series(1, $3::int) n`,
    [tenantId, date, count],
  )
}
