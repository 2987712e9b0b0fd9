import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestApi } from '#server/testing/api.ts'
import { freePort } from '#server/testing/free-port.ts'
import { startProgram } from '../child.ts'
import type { comparer } from '../measure.ts'
import { ratioFigure } from '../report.ts'
import { builtProgram, unlessMissing } from '../rivals.ts'
import { ourReceiver, receiverSide, spansInBatch } from './case-04-telemetry.ts'

const job = 'OTLP spans vs OpenTelemetry’s collector'
const note =
  'the same batches. The collector writes them to a file as they are, and acknowledges before they are on disk; ours after commit'

/** A collector that receives the same batches and writes each of them to a file, without a queue or a batch processor in between. */
export const spansOfCollector = (api: TestApi, apiPid: number, compare: ReturnType<typeof comparer>) =>
  unlessMissing(['go'], { case: 4, job }, async () => {
    const program = await builtProgram('collector')
    const folder = await mkdtemp(join(tmpdir(), 'countersign-collector-'))
    try {
      const [file, config] = [join(folder, 'spans'), join(folder, 'config.yaml')]
      const endpoint = `127.0.0.1:${await freePort()}`
      // JSON is YAML.
      await writeFile(config, JSON.stringify(configuration(endpoint, file)))
      const url = `http://${endpoint}/v1/traces`
      const collector = await startProgram(program, ['--config', `file:${config}`], { address: url })
      const side = { name: 'collector', processes: [collector.pid], database: false }
      const peer = receiverSide(side, { url, headers: {} })
      try {
        const ours = { name: 'countersign', processes: [apiPid], database: true }
        const result = await compare(peer, receiverSide(ours, await ourReceiver(api)))
        // It writes what it has buffered when it ends.
        await collector.stop()
        const written = (await batchesIn(file)) * spansInBatch
        if (written !== peer.acknowledged())
          throw new Error(`The collector acknowledged ${peer.acknowledged()} spans and wrote ${written}.`)
        return [ratioFigure({ case: 4, job, rival: true, unit: 'spans/CPU s', least: undefined, note }, result)]
      } finally {
        await collector.stop()
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

/** Protobuf is the cheaper of the exporter's two formats. */
const configuration = (endpoint: string, path: string) => ({
  receivers: { otlp: { protocols: { http: { endpoint } } } },
  exporters: { file: { path, format: 'proto' } },
  service: {
    telemetry: { logs: { level: 'warn' }, metrics: { level: 'none' } },
    pipelines: { traces: { receivers: ['otlp'], exporters: ['file'] } },
  },
})

/** Counts the messages of a file of the exporter: each follows its length in four bytes, big-endian. */
export async function batchesIn(path: string): Promise<number> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const length = Buffer.alloc(4)
    let count = 0
    for (let at = 0; at < size; count++) {
      const { bytesRead } = await file.read(length, 0, 4, at)
      at += 4 + length.readUInt32BE()
      if (bytesRead < 4 || at > size) throw new Error('The last message of the file is incomplete.')
    }
    return count
  } finally {
    await file.close()
  }
}
