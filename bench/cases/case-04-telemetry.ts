import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import type { TestApi } from '#server/testing/api.ts'
import { otlpProtobuf } from '#server/testing/otlp.ts'
import { ask, type HttpCall } from '../load.ts'
import type { comparer, Side } from '../measure.ts'
import { type Figure, figure, number, ratioFigure } from '../report.ts'

export const spansInBatch = 500
const preparedRows = 20_000
const maxRssMb = 400
const run = promisify(execFile)

/** A batch as an exporter sends it: traces in turn, by default five new ones, 10 attributes per span, two of them sensitive. */
export function batch(
  traces: readonly string[] = Array.from({ length: 5 }, () => randomBytes(16).toString('hex')),
  spans = spansInBatch,
): Uint8Array<ArrayBuffer> {
  const now = Date.now()
  return otlpProtobuf(
    Array.from({ length: spans }, (_, index) => ({
      traceId: traces[index % traces.length] ?? '',
      spanId: randomBytes(8).toString('hex'),
      parentSpanId: 'aaaaaaaaaaaaaaaa',
      name: 'execute_tool lookup_order',
      startMs: now,
      endMs: now + index,
      attributes: [
        ['gen_ai.operation.name', 'execute_tool'],
        ['gen_ai.tool.name', 'lookup_order'],
        ['gen_ai.agent.name', 'refund-assistant'],
        ['gen_ai.request.model', 'small-1'],
        ['gen_ai.usage.input_tokens', 120 + index],
        ['gen_ai.usage.output_tokens', 80],
        ['gen_ai.tool.call.arguments', `{"id":"A-${index}"}`],
        ['gen_ai.tool.call.result', `{"amount":${index},"status":"shipped"}`],
        ['attempt', 1],
        ['cached', false],
      ],
    })),
    [['service.name', 'refund-assistant']],
  )
}

/** An OTLP endpoint, and what a call to it needs to say. */
export type Receiver = { url: string; headers: Record<string, string> }

/** Our endpoint, for the demo's client that sends telemetry. */
export const ourReceiver = async (api: TestApi): Promise<Receiver> => receiverOf(api, await api.client('telemetry'))

export const receiverOf = ({ baseUrl }: Pick<TestApi, 'baseUrl'>, token: string): Receiver => ({
  url: `${baseUrl}/v1/traces`,
  headers: { authorization: `Bearer ${token}` },
})

/** One OTLP request. */
export const spansCall = ({ url, headers }: Receiver, body: Uint8Array): HttpCall => ({
  url,
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/x-protobuf' },
  body,
})

/** Resolves with the status. */
const send = async (receiver: Receiver, body: Uint8Array, agent: Agent): Promise<number> =>
  (await ask(spansCall(receiver, body), agent)).status

/** A receiver under four senders, until their batches are acknowledged. `acknowledged`: spans, over all segments. */
export function receiverSide(
  side: Pick<Side, 'name' | 'processes' | 'database'>,
  receiver: Receiver,
): Side & { acknowledged(): number } {
  const ready: Uint8Array[] = []
  let acknowledged = 0
  return {
    ...side,
    acknowledged: () => acknowledged,
    // Encoding is the exporter's task.
    async prepare() {
      while (ready.length < 120) ready.push(batch())
    },
    async run(deadline) {
      let done = 0
      // A separate connection: the server closes one that was idle during the other side's turn.
      const agent = new Agent({ keepAlive: true })
      const sender = async () => {
        for (let body = ready.pop(); body !== undefined && performance.now() < deadline; body = ready.pop()) {
          const status = await send(receiver, body, agent)
          if (status !== 200) throw new Error(`The batch got status ${status}.`)
          done += spansInBatch
        }
      }
      await Promise.all(Array.from({ length: 4 }, sender))
      agent.destroy()
      acknowledged += done
      return done
    },
  }
}

export async function telemetry(api: TestApi, apiPid: number, compare: ReturnType<typeof comparer>): Promise<Figure[]> {
  const receiver = await ourReceiver(api)
  const agent = new Agent({ keepAlive: true })
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const folder = await mkdtemp(join(tmpdir(), 'countersign-copy-'))
  const rows = join(folder, 'rows.copy')
  const psql = (command: string) => run('psql', ['--quiet', '--no-psqlrc', '--dbname', api.ownerUrl, '-c', command])
  try {
    for (let sent = 0; sent < preparedRows; sent += spansInBatch) await send(receiver, batch(), agent)
    await psql(`\\copy (select * from spans limit ${preparedRows}) to '${rows}'`)
    await owner.query('create table partitions.bench (like spans including all)')
    const ours = receiverSide({ name: 'countersign', processes: [apiPid], database: true }, receiver)
    const peer: Side = {
      name: 'COPY',
      database: true,
      prepare: async () => {
        await owner.query('truncate partitions.bench')
      },
      async run() {
        await psql(`\\copy partitions.bench from '${rows}'`)
        return preparedRows
      },
    }
    const job = 'OTLP spans, acknowledged after commit'
    const note = `batches of ${spansInBatch}, protobuf; decoded, normalised, encrypted, hashed, audited. The peer copies finished rows`
    const result = await compare(peer, ours)
    return [
      ratioFigure({ case: 4, job, unit: 'spans/CPU s', least: 0.5, limit: 'COPY 130 k rows', note }, result),
      figure({
        case: 4,
        job: 'OTLP spans/s, four senders',
        ours: `${number(result.wall.ours)} /s`,
        peer: `${number(result.wall.peer)} /s`,
        target: '≥ 20,000 /s',
        met: result.others > 0.7 ? '–' : result.wall.ours >= 20_000 ? 'yes' : 'no',
        note: 'of wall-clock time, the senders on the same cores',
      }),
      await overload(receiver, apiPid),
    ]
  } finally {
    agent.destroy()
    await owner.query('drop table if exists partitions.bench')
    await owner.end()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Far more concurrent batches than can be written: the excess is refused, and memory stays bounded. */
async function overload(receiver: Receiver, apiPid: number): Promise<Figure> {
  const bodies = Array.from({ length: 40 }, () => batch())
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const answers = new Map<number, number>()
  // The highest RSS is counted from here (proc_pid_clear_refs(5)): cases before this one may have needed more.
  await writeFile(`/proc/${apiPid}/clear_refs`, '5')
  for (let round = 0; round < 3; round++)
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const status = await send(receiver, bodies[index % bodies.length] ?? new Uint8Array(), agent)
        answers.set(status, (answers.get(status) ?? 0) + 1)
      }),
    )
  agent.destroy()
  const status = await readFile(`/proc/${apiPid}/status`, 'utf8')
  const rssMb = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1024
  return figure({
    case: 4,
    job: 'OTLP overload: highest RSS',
    ours: `${number(rssMb)} MB`,
    target: `≤ ${maxRssMb} MB, others 429`,
    met: rssMb <= maxRssMb && [...answers.keys()].every((one) => one === 200 || one === 429) ? 'yes' : 'no',
    note: `200 batches at once, three times: ${[...answers].map(([code, count]) => `${count} × ${code}`).join(', ')}`,
  })
}
