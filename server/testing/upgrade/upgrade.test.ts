import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyArchive } from '#lib/verify/verify.ts'
import { type Calls, callsTo, payload } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import { startProcess } from '#server/testing/processes/start-process.ts'
import { approve, exportAll, listExecutions, openRequest, refund } from './demo-case.ts'
import { loadFixture, readFixture } from './fixture.ts'

// A database that an earlier version left, with the demo in it, is migrated by this version and keeps working.

const name = `cs_upgrade_${randomBytes(4).toString('hex')}`
let server: Client
let dataDir: string
let child: Awaited<ReturnType<typeof startProcess>>['child'] | undefined
let api: Calls
let migratedFrom: string
beforeAll(async () => {
  server = new Client({ connectionString: process.env.TEST_DATABASE_URL })
  await server.connect()
  await server.query(`create database ${name}`)
  const url = new URL(process.env.TEST_DATABASE_URL ?? '')
  url.pathname = `/${name}`
  const owner = new Client({ connectionString: url.href })
  await owner.connect()
  dataDir = await mkdtemp(join(tmpdir(), 'countersign-upgrade-'))
  const fixture = await readFixture(join(import.meta.dirname, 'demo-0043.json.gz'))
  migratedFrom = fixture.migration
  await loadFixture(owner, fixture, dataDir)
  await owner.end()
  const started = await startProcess({ PORT: '0', DATABASE_URL: url.href, DATA_DIR: dataDir, LOG_LEVEL: 'error' })
  child = started.child
  api = callsTo(started.baseUrl, JSON.parse(await readFile(join(dataDir, 'demo-credentials.json'), 'utf8')))
})
afterAll(async () => {
  if (child?.exitCode === null) {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  await server.query(`drop database ${name} with (force)`)
  await server.end()
  await rm(dataDir, { recursive: true })
})

test('the fixture is of an earlier version, and what it contains is read as it was', async () => {
  expect(migratedFrom).toBe('0043_partial_texts.sql')
  const executions = await listExecutions(api)
  expect(executions.map(({ status }) => status).sort()).toEqual(['succeeded', 'waiting_approval'])
  const maria = await api.person('maria')
  for (const { traceId } of executions)
    expect(payload(await api.query(maria, 'traces.getTrace', { traceId }))).toMatchObject({ trace: { traceId } })
  const { items } = payload<{ items: unknown[] }>(await api.query(await api.person('vera'), 'holds.list', {}))
  expect(items).toHaveLength(1)
})

test('the request that was open before the upgrade is approved, and its execution completes', async () => {
  const [waiting] = (await listExecutions(api)).filter(({ status }) => status === 'waiting_approval')
  await approve(api, await openRequest(api, '4,200.00'))
  expect(await executionsOf(api).ended(waiting?.id ?? '')).toMatchObject({ status: 'succeeded' })
})

test('a new execution runs, and the archive of all days verifies', async () => {
  const [known] = await listExecutions(api)
  const done = await refund(api, known?.agentId ?? '', { orderId: 'A-1003', amount: '59.90' })
  expect(done.status).toBe('succeeded')
  const report = await verifyArchive(await exportAll(api, '2026-01-01T00:00:00.000Z'))
  expect(report.checks.filter(({ state }) => state === 'fails')).toEqual([])
  expect(report.checks.filter(({ state }) => state === 'holds').length).toBeGreaterThan(5)
})
