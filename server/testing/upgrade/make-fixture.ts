// Makes the fixture of this version: see README.md in this folder. `node server/testing/upgrade/make-fixture.ts`
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { openEmbeddedDatabase } from '#server/kernel/db/embedded.ts'
import { callsTo, payload } from '#server/testing/api.ts'
import { otlpJson } from '#server/testing/otlp.ts'
import { startProcess } from '#server/testing/processes/start-process.ts'
import { until } from '#server/testing/until.ts'
import { listExecutions, openRequest, refund } from './demo-case.ts'
import { keepOpen, takeFixture, writeFixture } from './fixture.ts'

const scratch = await mkdtemp(join(tmpdir(), 'countersign-fixture-'))
// As root the database's server runs under another account, which must be able to enter.
await chmod(scratch, 0o711)
const dataDir = join(scratch, 'data')
const database = await openEmbeddedDatabase({ dataDir: join(scratch, 'postgres'), say: () => undefined })
const owner = new Client({ connectionString: database.ownerUrl })
const { child, baseUrl } = await startProcess({ PORT: '0', DATABASE_URL: database.ownerUrl, DATA_DIR: dataDir })
try {
  await owner.connect()
  const api = callsTo(baseUrl, JSON.parse(await readFile(join(dataDir, 'demo-credentials.json'), 'utf8')))
  // The demo's own case waits for jonas. A second one is paid, so that there is a complete record, too.
  await openRequest(api, '4,200.00')
  const [known] = await listExecutions(api)
  await refund(api, known?.agentId ?? '', { orderId: 'A-1002', amount: '182.40' })
  const sent = await api.request(await api.client('telemetry'), '/v1/traces', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: otlpJson([{ traceId: 'a1'.repeat(16), spanId: 'b2'.repeat(8), name: 'chat model' }]),
  })
  if (sent.status !== 200) throw new Error(sent.text)
  payload(
    await api.mutate(await api.person('vera'), 'holds.create', {
      traceId: 'a1'.repeat(16),
      reason: 'The case is before a court.',
    }),
  )
  const unsigned = `select from audit_days d where not exists (select from audit_checkpoints c
    where c.tenant_id = d.tenant_id and c.date = d.date and c.size = d.size)`
  await until(async () => ((await owner.query(unsigned)).rowCount === 0 ? true : undefined), 'the last checkpoint')
  child.kill('SIGTERM')
  await once(child, 'exit')
  await keepOpen(owner)
  const fixture = await takeFixture(owner, dataDir)
  const path = join(import.meta.dirname, `demo-${fixture.migration.slice(0, 4)}.json.gz`)
  await writeFixture(path, fixture)
  process.stdout.write(`${path}\n`)
} finally {
  child.kill('SIGKILL')
  await owner.end()
  await database.release()
  await rm(scratch, { recursive: true, force: true })
}
