import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { extractArchive } from '#server/testing/extract.ts'
import { otlpProtobuf } from '#server/testing/otlp.ts'
import { sized } from '#server/testing/properties/counts.ts'
import { until } from '#server/testing/until.ts'

// kill -9 of a real server while it writes an archive. A lock that the test holds on one table stops the run where it reads
// that table, so that the process dies exactly there.

let api: TestApi
let folder: string
let tenantId: string
const spans = 6_000

beforeAll(async () => {
  api = await startApi()
  folder = await mkdtemp(join(tmpdir(), 'countersign-killed-'))
  tenantId = api.credentials.tenants.find(({ slug }) => slug === 'northwind')?.id ?? ''
  const token = await api.client('telemetry')
  for (let sent = 0; sent < spans; sent += 1_000) {
    const traceId = newTraceId()
    const body = otlpProtobuf(
      Array.from({ length: 1_000 }, () => ({
        traceId,
        spanId: newSpanId(),
        startMs: Date.now(),
        endMs: Date.now(),
        // Incompressible, so that the file grows as it is written.
        attributes: Array.from({ length: 4 }, (_, at): [string, string] => [`n${at}`, randomBytes(90).toString('hex')]),
      })),
    )
    const headers = { 'content-type': 'application/x-protobuf' }
    expect((await api.request(token, '/v1/traces', { method: 'POST', headers, body })).status).toBe(200)
  }
}, 180_000)
afterAll(async () => {
  await api.close()
  await rm(folder, { recursive: true, force: true })
})

/** Opens a connection of the owner that blocks only readers of `table` until it ends. */
async function lock(table: string): Promise<Client> {
  const client = new Client({ connectionString: api.ownerUrl })
  await client.connect()
  await client.query(`begin; lock table ${table} in access exclusive mode`)
  return client
}

const folders = () => [
  join(dirname(api.gate), 'data', 'evidence', tenantId),
  // Where archives are made.
  join(dirname(api.gate), 'data', 'exports'),
]
/** Its files, and their bytes. */
async function filesOf(exportId: string): Promise<{ name: string; bytes: number }[]> {
  const found: { name: string; bytes: number }[] = []
  for (const place of folders())
    for (const name of await readdir(place).catch(() => []))
      if (name.includes(exportId)) found.push({ name, bytes: (await stat(join(place, name))).size })
  return found
}

async function ask(): Promise<string> {
  const created = await api.request(await api.client('audit-export'), '/v1/evidence/export-jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      startDate: new Date(Date.now() - 3_600_000).toISOString(),
      endDate: new Date(Date.now() + 24 * 3_600_000).toISOString(),
      includeProofs: true,
    }),
  })
  expect([created.status, created.text]).toEqual([202, expect.any(String)])
  return (created.body as { exportId: string }).exportId
}

type Job = { status: string; error: unknown; omissions: { reason: string }[]; archiveBytes: number }
const jobOf = async (exportId: string) =>
  (await api.request(await api.client('audit-export'), `/v1/evidence/factory/jobs/${exportId}`)).body as Job

/** Returns the export's actions in the audit log, in order. */
async function recorded(exportId: string): Promise<string[]> {
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const { rows } = await owner.query<{ type: string }>(
    `select type from audit_records where tenant_id = $1 and record->'resource'->>'id' = $2 order by date, seq`,
    [tenantId, exportId],
  )
  await owner.end()
  return rows.map(({ type }) => type)
}

async function isWholeAndSealed(exportId: string): Promise<void> {
  const path = `/v1/evidence/factory/jobs/${exportId}/download`
  const answer = await fetch(api.baseUrl + path, {
    headers: { authorization: `Bearer ${await api.client('audit-export')}` },
  })
  const top = await extractArchive(Buffer.from(await answer.arrayBuffer()), join(folder, exportId))
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: top, encoding: 'utf8' })
  run('sha256sum', '--check', '--quiet', 'manifest-sha256.txt')
  run('sha256sum', '--check', '--quiet', 'tagmanifest-sha256.txt')
  const signature = ['-rawin', '-in', 'manifest.json', '-sigfile', 'seal/manifest.json.sig']
  expect(run('openssl', 'pkeyutl', '-verify', '-pubin', '-inkey', 'seal/seal.pub.pem', ...signature)).toContain(
    'Signature Verified Successfully',
  )
  expect(Number(run('sh', '-c', 'cat data/traces/*.spans.ndjson | grep -c \'"origin":"telemetry"\'').trim())).toBe(
    spans,
  )
}

/** The tables that stop a run, one after the other; its state at the last one, and the bytes of its file there. */
const everyMoment: [string, string[], string, number][] = [
  ['with megabytes of spans written', ['telemetry_batches'], 'collecting', 1_000_000],
  ['with the first files written', ['policy_versions'], 'collecting', 0],
  // The run also reads the keys at its beginning, so another table stops it there first. The same is true of the heads.
  ['before it is sealed', ['telemetry_batches', 'signing_keys'], 'sealing', 1_000_000],
  ['while it is verified', ['telemetry_batches', 'audit_checkpoints'], 'verifying', 1_000_000],
]

test.each(sized(everyMoment, everyMoment.slice(0, 1)))(
  'killed %s, it ends once, whole, and every check of its README holds',
  async (_where, tables, status, written) => {
    const [first, second] = tables
    let held = await lock(first ?? '')
    const exportId = await ask()
    const stopped = async (at: string, least: number) =>
      until(
        async () => {
          const [part, ...more] = await filesOf(exportId)
          if (part === undefined || part.bytes < least) return undefined
          const job = await stateOf(exportId)
          expect([part.name.startsWith(tenantId), more]).toEqual([true, []])
          return job === at ? part : undefined
        },
        `it is ${at}`,
        60_000,
      )
    if (second !== undefined) {
      await stopped('collecting', written)
      const next = await lock(second)
      await held.end()
      held = next
    }
    const half = await stopped(status, written)

    const restarted = api.killAndRestart()
    // A connection of the killed process waits for the lock.
    await held.end()
    await restarted
    expect(half.name).not.toBe(`${exportId}.zip`)
    await endsOnceAndWhole(exportId)
  },
  180_000,
)

test('killed while the log is checked, before there is a file, it ends once and whole', async () => {
  // The run begins by reading the signed heads.
  const held = await lock('audit_checkpoints')
  const exportId = await ask()
  await until(async () => ((await stateOf(exportId)) === 'preflight' ? true : undefined), 'it is preflight', 60_000)
  expect(await filesOf(exportId)).toEqual([])
  const restarted = api.killAndRestart()
  await held.end()
  await restarted
  await endsOnceAndWhole(exportId)
}, 180_000)

async function endsOnceAndWhole(exportId: string): Promise<void> {
  const job = await until(
    async () => {
      const now = await jobOf(exportId)
      return ['completed', 'completed_with_omissions', 'failed', 'canceled'].includes(now.status) ? now : undefined
    },
    'the export ended',
    90_000,
  )
  expect(job).toMatchObject({ status: 'completed', error: null })
  expect(new Set(job.omissions.map(({ reason }) => reason))).toEqual(new Set(['masked']))
  // The file of the killed process is deleted and was never served.
  expect(await filesOf(exportId)).toEqual([{ name: `${exportId}.zip`, bytes: job.archiveBytes }])
  expect((await recorded(exportId)).filter((type) => type === 'evidence_export.completed')).toHaveLength(1)
  await isWholeAndSealed(exportId)
}

/** Read from the table, because the API may wait for the lock as well. */
async function stateOf(exportId: string): Promise<string | undefined> {
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const { rows } = await owner.query<{ status: string }>('select status from evidence_exports where id = $1', [
    exportId,
  ])
  await owner.end()
  return rows[0]?.status
}
