import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '#server/testing/database.ts'
import { until } from '#server/testing/until.ts'
import { type Database, openDatabase } from './db/database.ts'
import { newId } from './ids.ts'
import { createLog } from './log.ts'
import { openQueue } from './queue.ts'

const log = createLog('silent')
let source: TestDatabase
let owner: pg.Client
let database: Database

beforeAll(async () => {
  source = await testDatabase()
  owner = new pg.Client({ connectionString: source.ownerUrl })
  await owner.connect()
  database = openDatabase(source.appUrl, log, 2)
})
afterAll(async () => {
  await database.close()
  await owner.end()
  await source.close()
})

const job = () => ({ tenantId: newId(), id: newId() })

test('backends that die in mid-statement cost the queue nothing but time', async () => {
  const queue = await openQueue(source.appUrl, log)
  const done = new Set<string>()
  await queue.work([{ queue: 'survivor', concurrency: 2, run: async ({ id }) => void done.add(id) }])
  const enqueue = async () => {
    const data = job()
    await database.inDirectory((tx) => queue.enqueue(tx, 'survivor', data))
    return data.id
  }
  const before = await enqueue()
  await until(async () => done.has(before) || undefined, 'the first job')
  // Statements of the queue hang on this lock: its connections are in use when they are ended.
  await owner.query('begin')
  await owner.query('lock table pgboss.queue in access exclusive mode')
  const hanging = () =>
    owner.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and application_name = 'countersign-queue' and wait_event_type = 'Lock'`,
    )
  await until(async () => (await hanging()).rows[0], 'a statement of the queue that waits')
  const { rows } = await owner.query(
    `select pg_terminate_backend(pid) as ended from pg_stat_activity
     where datname = current_database() and usename <> current_user`,
  )
  expect(rows.length).toBeGreaterThanOrEqual(2)
  await owner.query('rollback')

  const after = await until(() => enqueue().catch(() => undefined), 'an accepted job')
  await until(async () => done.has(after) || undefined, 'the job after it')
  await queue.close()
})

test('a queue that an earlier version made gets the settings of this one', async () => {
  const first = await openQueue(source.appUrl, log)
  const handlers = [{ queue: 'older', concurrency: 1, run: async () => undefined }]
  await first.work(handlers)
  await first.close()
  await owner.query(`update pgboss.queue set heartbeat_seconds = 600, retry_limit = 2 where name = 'older'`)
  const second = await openQueue(source.appUrl, log)
  await second.work(handlers)
  const { rows } = await owner.query(
    `select heartbeat_seconds, retry_limit, policy from pgboss.queue where name = 'older'`,
  )
  expect(rows).toEqual([{ heartbeat_seconds: 10, retry_limit: 1000, policy: 'singleton' }])
  await second.close()
})

test('a clock that is put back again and again keeps no delayed job waiting', async () => {
  let at = Date.now()
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
    at -= 1_200_000
    return at
  })
  const queue = await openQueue(source.appUrl, log)
  try {
    const ran = Promise.withResolvers<string>()
    const run = ({ id }: { id: string }) => Promise.resolve(ran.resolve(id))
    await queue.work([{ queue: 'delayed', concurrency: 1, run }])
    const later = job()
    await database.inDirectory((tx) => queue.enqueue(tx, 'delayed', later, { seconds: 1.5 }))
    expect(await ran.promise).toBe(later.id)
  } finally {
    clock.mockRestore()
    await queue.close()
  }
}, 60_000)
