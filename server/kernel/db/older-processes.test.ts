import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testRuntime } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { applicationName, protocol } from './application-name.ts'
import { olderProcesses } from './older-processes.ts'

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
})
afterAll(() => running.close())

/** A minute passes between two calls when the test says so. */
let time = 0
const older = () => running.database.inDirectory((tx) => olderProcesses(tx, () => time))

const connected = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: running.database.url, application_name: name })
  await client.connect()
  try {
    return await work()
  } finally {
    await client.end()
    // The backend ends after its client.
    await until(async () => {
      const { rows } = await gone.query('select 1 from pg_stat_activity where application_name = $1', [name])
      return rows.length === 0 || undefined
    }, 'the end of the backend')
  }
}
let gone: Client
beforeAll(async () => {
  gone = new Client({ connectionString: running.database.url, application_name: applicationName() })
  await gone.connect()
})
afterAll(() => gone.end())

test('processes of this version name every connection, also of the queue and the listener', async () => {
  expect(await older()).toBe(false)
})

test.each(['psql', 'countersign-queue', `countersign/${protocol - 1}`, `countersign-listen/${protocol - 1}`])(
  'finds a connection named %s, and forgets it a minute after it was last seen',
  async (name) => {
    time += 5_000
    expect(await connected(name, older)).toBe(true)
    time += 59_000
    expect(await older()).toBe(true)
    time += 1_000
    expect(await older()).toBe(false)
  },
)

test('a newer version is not older', async () => {
  time += 5_000
  expect(await connected(`countersign/${protocol + 1}`, older)).toBe(false)
})

test('a caller whose connection waits for a lock does not keep others waiting', async () => {
  time += 5_000
  await gone.query('begin')
  await gone.query('select pg_advisory_xact_lock(1)')
  const answered: string[] = []
  // Statements of one connection run in their order.
  const locked = running.database
    .inDirectory(async (tx) => {
      const lock = sql`select pg_advisory_xact_lock(1)`.execute(tx)
      await Promise.all([lock, olderProcesses(tx, () => time)])
    })
    .then(() => answered.push('locked'))
  await until(async () => {
    const { rows } = await gone.query(`select 1 from pg_locks where locktype = 'advisory' and not granted`)
    return rows.length > 0 || undefined
  }, 'the first caller to wait')
  expect(await older()).toBe(false)
  answered.push('other')
  await gone.query('commit')
  await locked
  expect(answered).toEqual(['other', 'locked'])
})
