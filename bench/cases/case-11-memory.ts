import { readdir, readFile } from 'node:fs/promises'
import type { Client } from 'pg'
import { openExportServer } from '../export-server.ts'
import { type Figure, figure, number } from '../report.ts'

const maxRssMb = 250
const records = 50_000
/** Bytes of a span of this case as a line of the archive. */
const bytesPerSpan = 2300

/** One export for each of these sizes. Its process must not grow with the archive. */
export async function exportMemory(gigabytes: readonly number[]): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const size of gigabytes) figures.push(await exportOf(size))
  return figures
}

async function exportOf(gigabytes: number): Promise<Figure> {
  const server = await openExportServer(records)
  try {
    const { owner, tenant, date, pid } = server
    await seedSpans(owner, tenant.id, date, Math.round((gigabytes * 1e9) / bytesPerSpan))
    const before = await peakMb(pid)
    const since = performance.now()
    let child = 0
    const { archiveBytes, payloadBytes } = await server.exportDay(async () => {
      child = Math.max(child, ...(await Promise.all((await childrenOf(pid)).map(peakMb))))
    })
    const seconds = (performance.now() - since) / 1000
    const peak = await peakMb(pid)
    return figure({
      case: 11,
      job: `one export of ${number(payloadBytes / 1e6)} MB: highest RSS of its process`,
      ours: `${number(child)} MB`,
      target: `≤ ${maxRssMb} MB`,
      met: child > 0 && child <= maxRssMb ? 'yes' : 'no',
      note: `the server: ${number(before)} MB before it, ${number(peak)} MB after it; ${number(archiveBytes / 1e6)} MB as a ZIP in ${number(seconds)} s`,
    })
  } finally {
    await server.close()
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
