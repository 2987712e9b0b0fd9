import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createExport } from '#server/evidence/create-export.ts'
import { getManifest } from '#server/evidence/get-manifest.ts'
import { runExport } from '#server/evidence/jobs/run-export.ts'
import { type Lab, perform } from '../lab.ts'
import type { comparer, Side } from '../measure.ts'
import { type Figure, figure, ratioFigure } from '../report.ts'
import { seedDay } from '../seed-day.ts'

const MB = 1e6

export async function evidence(lab: Lab, compare: ReturnType<typeof comparer>, records: number): Promise<Figure[]> {
  const date = new Date(Date.now() - 24 * 3600 * 1000).toISOString().slice(0, 10)
  await seedDay(lab, date, records)
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-export-'))
  try {
    const job = `evidence export of ${records} records`
    const missing = ['psql', 'zip', 'sha256sum', 'bash'].filter((tool) => spawnSync('which', [tool]).status !== 0)
    if (missing.length > 0) return [figure({ case: 11, job, ours: `SKIP(no ${missing.join(', ')} for the peer)` })]
    const result = await compare(shellPipe(lab, date, join(folder, 'peer.zip')), ourExport(lab, date), { segmentMs: 1 })
    const note = 'peer: psql COPY | tee >(sha256sum) | zip -1; ours also hashes every record and leaf again'
    return [ratioFigure({ case: 11, job, unit: 'MB/CPU s', least: 0.6, note }, result)]
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Whole exports; the unit is the MB of their payload, before compression. */
const ourExport = ({ tenant, auditor }: Lab, date: string): Side => ({
  name: 'countersign',
  database: true,
  async run(deadline) {
    let done = 0
    do {
      const nextDay = new Date(Date.parse(date) + 24 * 3600 * 1000).toISOString()
      const period = { startDate: `${date}T00:00:00.000Z`, endDate: nextDay, includeProofs: true }
      const { exportId } = await perform(createExport, auditor, period)
      await runExport(tenant.id, exportId)
      done += (await payloadBytes(auditor, exportId)) / MB
    } while (performance.now() < deadline)
    return done
  },
})

/** Payload-Oxum is "<bytes>.<files>" (RFC 8493). */
async function payloadBytes(auditor: Lab['auditor'], exportId: string): Promise<number> {
  const { bytes } = await perform(getManifest, auditor, { exportId })
  const manifest: { payloadOxum: string } = JSON.parse(Buffer.from(bytes).toString())
  return Number.parseInt(manifest.payloadOxum, 10)
}

/** The same lines directly from the table; the unit is the MB that zip read. */
const shellPipe = (lab: Lab, date: string, out: string): Side => {
  const lines = `select json_build_object('leaf', json_build_object('auditId', audit_id, 'date', date, 'digest',
      'sha256:' || encode(digest, 'hex'), 'seq', seq, 'tenant', '${lab.tenant.externalId}', 'type', type, 'v', 1),
      'nonce', encode(nonce, 'hex'), 'record', record) from audit_records
    where tenant_id = '${lab.tenant.id}' and date = '${date}' order by seq`.replaceAll(/\s+/g, ' ')
  const script = `exec 3>&1; set -o pipefail; psql -X -q "$OWNER_URL" -c "copy ($LINES) to stdout" | tee >(sha256sum > /dev/null) >(wc -c >&3) | zip -1 -q > "$OUT"; wait`
  return {
    name: 'psql | zip',
    database: true,
    async run(deadline) {
      let done = 0
      do {
        const env = { ...process.env, OWNER_URL: lab.ownerUrl, LINES: lines, OUT: out }
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
