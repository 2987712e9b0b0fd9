import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestApi } from '#server/testing/api.ts'
import { type ExportServer, openExportServer } from '../export-server.ts'
import { type comparer, median, type Side } from '../measure.ts'
import { settled } from '../procfs.ts'
import { type Figure, figure, ratioFigure } from '../report.ts'

const MB = 1e6

export async function evidence(compare: ReturnType<typeof comparer>, records: number): Promise<Figure[]> {
  const job = `evidence export of ${records} records`
  const missing = ['psql', 'zip', 'sha256sum', 'bash'].filter((tool) => spawnSync('which', [tool]).status !== 0)
  if (missing.length > 0) return [figure({ case: 11, job, ours: `SKIP(no ${missing.join(', ')} for the peer)` })]
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-export-'))
  const server = await openExportServer(records)
  try {
    // The demo's first execution, and the seal of the day, must not be charged.
    await server.exportDay()
    await settled([server.pid])
    const result = await compare(shellPipe(server, join(folder, 'peer.zip')), ourExport(server), { segmentMs: 1 })
    const { payloadBytes } = await server.exportDay()
    const whole = payloadBytes / MB / result.ours
    const making = whole / (whole - verificationSeconds(server.api))
    const without = { ...result, ratio: result.ratio * making, ours: result.ours * making }
    without.spread = [result.spread[0] * making, result.spread[1] * making]
    const note =
      'peer: psql COPY | tee >(sha256sum) | zip -1; ours also hashes every record and leaf again, signs, and stores the archive'
    return [
      ratioFigure(
        { case: 11, job, unit: 'MB/CPU s', least: 0.6, limit: 'deflate level 1 with SHA-256 120 MB', note },
        without,
      ),
      ratioFigure({ case: 11, job: `${job}, verified`, unit: 'MB/CPU s', least: undefined }, result),
    ]
  } finally {
    await server.close()
    await rm(folder, { recursive: true })
  }
}

/** Processor time of the verification in the process of an export, in seconds: the median of all exports so far. */
function verificationSeconds(api: TestApi): number {
  const times = [...api.logged().matchAll(/"verifiedCpuMs":(\d+)/g)].map(([, ms]) => Number(ms) / 1000)
  if (times.length === 0) throw new Error('The log does not have the processor time of the verification.')
  return median(times)
}

/** Whole exports, verified and stored, on request; the unit is the MB of their payload, before compression. */
const ourExport = ({ pid, exportDay }: ExportServer): Side => ({
  name: 'countersign',
  processes: [pid],
  database: true,
  async run(deadline) {
    let done = 0
    do done += (await exportDay()).payloadBytes / MB
    while (performance.now() < deadline)
    return done
  },
})

/** The same lines directly from the table; the unit is the MB that zip read. */
const shellPipe = ({ api, tenant, date }: ExportServer, out: string): Side => {
  const lines = `select json_build_object('leaf', json_build_object('auditId', audit_id, 'date', date, 'digest',
      'sha256:' || encode(digest, 'hex'), 'seq', seq, 'tenant', '${tenant.externalId}', 'type', type, 'v', 1),
      'nonce', encode(nonce, 'hex'), 'record', record) from audit_records
    where tenant_id = '${tenant.id}' and date = '${date}' order by seq`.replaceAll(/\s+/g, ' ')
  const script = `exec 3>&1; set -o pipefail; psql -X -q "$OWNER_URL" -c "copy ($LINES) to stdout" | tee >(sha256sum > /dev/null) >(wc -c >&3) | zip -1 -q > "$OUT"; wait`
  return {
    name: 'psql | zip',
    database: true,
    async run(deadline) {
      let done = 0
      do {
        const env = { ...process.env, OWNER_URL: api.ownerUrl, LINES: lines, OUT: out }
        const child = spawn('bash', ['-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'] })
        let counted = ''
        child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
          counted += chunk
        })
        const [code] = await once(child, 'close')
        if (code !== 0) throw new Error(`The peer's pipe ended with ${code}.`)
        done += Number(counted) / MB
      } while (performance.now() < deadline)
      return done
    },
  }
}
