import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openFile } from '#lib/verify/programs/file.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import { createExport } from '#server/evidence/create-export.ts'
import { getExport } from '#server/evidence/get-export.ts'
import { runExport } from '#server/evidence/jobs/run-export.ts'
import { testTenant } from '#server/testing/tenant.ts'
import { type Lab, perform } from '../lab.ts'
import type { comparer, Side } from '../measure.ts'
import { type Figure, figure, ratioFigure } from '../report.ts'
import { seedDay } from '../seed-day.ts'

const dayMs = 24 * 3600 * 1000

/** The verifier of verify.html and /verify, in this process, compared with one that only hashes the archive's content. */
export async function verification(lab: Lab, compare: ReturnType<typeof comparer>, records: number): Promise<Figure[]> {
  const job = `offline verification of ${records} records`
  const missing = ['unzip', 'sha256sum', 'bash'].filter((tool) => spawnSync('which', [tool]).status !== 0)
  if (missing.length > 0) return [figure({ case: 12, job, ours: `SKIP(no ${missing.join(', ')} for the peer)` })]
  const path = await makeArchive(lab, records)
  const MB = (await stat(path)).size / 1e6
  const side = (name: string, once: () => Promise<void>): Side => ({
    name,
    database: false,
    async run(deadline) {
      let done = 0
      do {
        await once()
        done += MB
      } while (performance.now() < deadline)
      return done
    },
  })
  const result = await compare(
    side('unzip | sha256sum', () => hashAll(path)),
    side('countersign', () => verifyAll(path)),
  )
  const limit = 'SHA-256 1.8 GB/s in Node'
  const note =
    'MB of the archive; the peer hashes its bytes once, ours also parses and hashes every record, leaf and node'
  return [ratioFigure({ case: 12, job, unit: 'MB/CPU s', least: 0.6, limit, note }, result)]
}

/** In a tenant of its own: other cases put the rows of their peers into the lab's log, and an export of it would be refused. */
async function makeArchive({ runtime, owner }: Lab, records: number): Promise<string> {
  const tenant = await testTenant(runtime)
  const auditor = await tenant.as('vera', { roles: ['auditor'] })
  const date = new Date(Date.now() - 2 * dayMs).toISOString().slice(0, 10)
  await seedDay({ tenant, owner }, date, records)
  const end = new Date(Date.parse(date) + dayMs).toISOString()
  const period = { startDate: `${date}T00:00:00.000Z`, endDate: end, includeProofs: true }
  const { exportId } = await perform(createExport, auditor, period)
  await runExport(tenant.id, exportId)
  const { status, error } = await perform(getExport, auditor, { exportId })
  if (status !== 'completed') throw new Error(`The export is ${status}: ${JSON.stringify(error)}`)
  return join(runtime.config.dataDir, 'evidence', tenant.id, `${exportId}.zip`)
}

async function verifyAll(path: string): Promise<void> {
  const file = await openFile(path)
  const { checks } = await verifyArchive(file).finally(file.close)
  const failed = checks.filter(({ state }) => state === 'fails')
  if (failed.length > 0) throw new Error(`The archive does not verify: ${JSON.stringify(failed)}`)
}

async function hashAll(path: string): Promise<void> {
  const child = spawn('bash', ['-c', 'set -o pipefail; unzip -p "$ARCHIVE" | sha256sum > /dev/null'], {
    env: { ...process.env, ARCHIVE: path },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`The peer's pipe ended with ${code}.`)
}
