import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import type { TestApi } from '#server/testing/api.ts'
import { otlpProtobuf } from '#server/testing/otlp.ts'
import { openExportServer } from '../export-server.ts'
import { type Figure, figure, number } from '../report.ts'

export const maxRssMb = 250
const records = 50_000
/** Bytes of a span of this case as a line of the archive. */
export const bytesPerSpan = 2300
/** Longer texts would be masked, which leaves them out of the archive. */
const textLength = 228
const textsPerSpan = 8

/** One export for each of these sizes. Its process must not grow with the archive. */
export async function exportMemory(gigabytes: readonly number[]): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const size of gigabytes) figures.push(await exportOf(size))
  return figures
}

async function exportOf(gigabytes: number): Promise<Figure> {
  const { processMb, serverMb, serverMbBefore, payloadBytes, archiveBytes, seconds } = await measureExport(gigabytes)
  return figure({
    case: 11,
    job: `one export of ${number(payloadBytes / 1e6)} MB: highest RSS of its process`,
    ours: `${number(processMb)} MB`,
    target: `≤ ${maxRssMb} MB`,
    met: processMb > 0 && processMb <= maxRssMb ? 'yes' : 'no',
    note: `the server: ${number(serverMbBefore)} MB before it, ${number(serverMb)} MB after it; ${number(archiveBytes / 1e6)} MB as a ZIP in ${number(seconds)} s`,
  })
}

/** Makes one archive of about this size, unpacked, with the server as it is installed. The highest RSS is in MB. */
export async function measureExport(gigabytes: number) {
  const server = await openExportServer(records)
  try {
    const { api, date, pid } = server
    await seedSpans(api, date, Math.ceil((gigabytes * 1e9) / bytesPerSpan))
    const serverMbBefore = await peakMb(pid)
    const since = performance.now()
    let processMb = 0
    const { archiveBytes, payloadBytes } = await server.exportDay(async () => {
      processMb = Math.max(processMb, ...(await Promise.all((await childrenOf(pid)).map(peakMb))))
    })
    const seconds = (performance.now() - since) / 1000
    return { processMb, serverMbBefore, serverMb: await peakMb(pid), archiveBytes, payloadBytes, seconds }
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

const spansPerRequest = 1000
const requestsAtOnce = 3

/** Sends spans of the day with attributes that hardly compress, as an agent does: only such spans are proven by the log. */
export async function seedSpans(api: TestApi, date: string, count: number): Promise<void> {
  let sent = 0
  const send = async () => {
    while (sent < count) {
      const first = sent
      sent += spansPerRequest
      const traceId = newTraceId()
      const body = otlpProtobuf(
        Array.from({ length: Math.min(spansPerRequest, count - first) }, (_, index) => {
          const startMs = Date.parse(date) + (first + index) / 100
          const texts = randomBytes((textsPerSpan * textLength) / 2).toString('hex')
          const attributes = Array.from({ length: textsPerSpan }, (_text, at): [string, string] => [
            `text${at}`,
            texts.slice(at * textLength, (at + 1) * textLength),
          ])
          return { traceId, spanId: newSpanId(), startMs, endMs: startMs, attributes }
        }),
      )
      const answer = await api.request(await api.client('telemetry'), '/v1/traces', {
        method: 'POST',
        headers: { 'content-type': 'application/x-protobuf' },
        body,
      })
      if (answer.status !== 200) throw new Error(`Spans were answered with ${answer.status}: ${answer.text}`)
    }
  }
  await Promise.all(Array.from({ length: requestsAtOnce }, send))
}
