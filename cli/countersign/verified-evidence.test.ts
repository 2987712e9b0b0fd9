import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { type CommandLine, commandLine } from '#server/testing/command-line.ts'
import { until } from '#server/testing/until.ts'
import { progressOf } from './commands/evidence.ts'

// Evidence of a server that binds its rows to the log, so that all five verdicts can hold.

let api: TestApi
let cli: CommandLine
beforeAll(async () => {
  ;[api, cli] = await Promise.all([startApi({ ADOPT_ROWS_AFTER: '0' }), commandLine()])
}, 180_000)
afterAll(async () => {
  await cli.close()
  await api.close()
})

test('its progress has a bar as soon as the total is known', () => {
  const progress = { stage: 'collecting', unit: 'rows', done: 30, total: 40 }
  expect(progressOf({ status: 'running', progress })).toBe(`collecting ${'█'.repeat(18)}${'░'.repeat(6)} 30/40 rows`)
  expect(progressOf({ status: 'running', progress: { ...progress, total: null } })).toBe('collecting 30 rows')
  expect(progressOf({ status: 'queued', progress: null })).toBe('queued')
})

test('is created with its progress on a terminal, and all five verdicts end with 0', async () => {
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const [tenant] = api.credentials.tenants
  await until(
    async () => {
      const { rowCount } = await owner.query('select from bound_adoptions where tenant_id = $1', [tenant?.id])
      return rowCount === 1 ? true : undefined
    },
    'the rows were bound',
    120_000,
  ).finally(() => owner.end())
  const as = (name: string) => ({
    COUNTERSIGN_URL: api.baseUrl,
    COUNTERSIGN_TENANT: tenant?.slug ?? '',
    COUNTERSIGN_CLIENT_ID: name,
    COUNTERSIGN_CLIENT_SECRET: tenant?.clients.find(({ clientId }) => clientId === name)?.clientSecret ?? '',
  })
  const today = new Date().toISOString().slice(0, 10)
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const period = ['--from', today, '--to', tomorrow]
  const made = await cli.onTerminal(['evidence', 'create', ...period, '--out', 'bound.zip'], as('audit-export'))
  // The line is rewritten in place. How far the export was when it was read differs.
  expect(made.out.split('\r\u001b[K').length).toBeGreaterThan(1)
  expect(made.out).toContain('Everything agrees.')
  expect(made.code).toBe(0)

  // The log has grown since: the head that the server publishes is newer than the archive's.
  expect((await cli.run(['policies', 'create', '--name', 'later'], as('ci-pipeline'))).code).toBe(0)
  const verified = await cli.run(['evidence', 'verify', 'bound.zip'], { COUNTERSIGN_URL: api.baseUrl })
  const { verdicts, everything } = JSON.parse(verified.out)
  expect(verdicts).toEqual({
    integrity: 'holds',
    origin: 'holds',
    log: 'holds',
    completeness: 'holds',
    freshness: 'holds',
  })
  expect([everything, verified.code]).toEqual([true, 0])
}, 300_000)
