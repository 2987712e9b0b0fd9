import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '#server/testing/database.ts'
import { until } from '#server/testing/until.ts'
import { applicationName } from './db/application-name.ts'
import { type Database, openDatabase } from './db/database.ts'
import { openListener } from './db/listen.ts'
import { newId } from './ids.ts'
import { createLog } from './log.ts'
import { openQueue } from './queue.ts'

const log = createLog('silent')
let source: TestDatabase
let owner: pg.Client
let listener: ReturnType<typeof openListener>
let database: Database

beforeAll(async () => {
  source = await testDatabase()
  owner = new pg.Client({ connectionString: source.ownerUrl })
  await owner.connect()
  listener = openListener(source.appUrl, log)
  database = openDatabase(source.appUrl, log, { poolSize: 2, own: listener.own })
})
afterAll(async () => {
  await listener.close()
  await database.close()
  await owner.end()
  await source.close()
})

const job = () => ({ tenantId: newId(), id: newId() })

test('backends that die during a statement cost the queue nothing but time', async () => {
  const queue = await openQueue(source.appUrl, log, listener)
  const done = new Set<string>()
  await queue.work([{ queue: 'survivor', concurrency: 2, run: async ({ id }) => void done.add(id) }])
  const enqueue = async () => {
    const data = job()
    await database.inDirectory((tx) => queue.enqueue(tx, 'survivor', data))
    return data.id
  }
  const before = await enqueue()
  await until(async () => done.has(before) || undefined, 'the first job')
  // Statements of the queue wait for this lock, so its connections are in use when they are terminated.
  await owner.query('begin')
  await owner.query('lock table pgboss.queue in access exclusive mode')
  const hanging = () =>
    owner.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and application_name like 'countersign-queue/%' and wait_event_type = 'Lock'`,
    )
  await until(async () => (await hanging()).rows[0], 'a waiting statement of the queue')
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

test('a queue created by an earlier version gets the settings of this version', async () => {
  const first = await openQueue(source.appUrl, log, listener)
  const handlers = [{ queue: 'older', concurrency: 1, run: async () => undefined }]
  await first.work(handlers)
  await first.close()
  await owner.query(`update pgboss.queue set heartbeat_seconds = 600, retry_limit = 2 where name = 'older'`)
  const second = await openQueue(source.appUrl, log, listener)
  await second.work(handlers)
  const { rows } = await owner.query(
    `select heartbeat_seconds, retry_limit, policy from pgboss.queue where name = 'older'`,
  )
  expect(rows).toEqual([{ heartbeat_seconds: 10, retry_limit: 1000, policy: 'singleton' }])
  await second.close()
})

test('a clock that is set back repeatedly does not delay a delayed job', async () => {
  let at = Date.now()
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
    at -= 1_200_000
    return at
  })
  const queue = await openQueue(source.appUrl, log, listener)
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

// So rare that the library's own supervision does not affect the following tests.
const hardlyEver = { supervise: 3600 }

test('a job is taken when it becomes due, without any notification', async () => {
  const queue = await openQueue(source.appUrl, log, listener, hardlyEver)
  try {
    const done = new Map<string, number>()
    await queue.work([{ queue: 'later', concurrency: 2, run: async ({ id }) => void done.set(id, performance.now()) }])
    const data = job()
    const before = performance.now()
    await database.inDirectory((tx) => queue.enqueue(tx, 'later', data, { seconds: 2 }))
    const at = await until(async () => done.get(data.id), 'the delayed job')
    expect(at - before).toBeGreaterThanOrEqual(1900)
  } finally {
    await queue.close()
  }
})

test('a second job with an id waits for the first and delays no other job', async () => {
  const queue = await openQueue(source.appUrl, log, listener, hardlyEver)
  try {
    const first = Promise.withResolvers<void>()
    const ran: string[] = []
    const run = ({ id }: { id: string }) => {
      ran.push(id)
      return id === same.id && ran.length === 1 ? first.promise : Promise.resolve()
    }
    const [same, other] = [job(), job()]
    const enqueue = (data: typeof same) => database.inDirectory((tx) => queue.enqueue(tx, 'one-at-a-time', data))
    await queue.work([{ queue: 'one-at-a-time', concurrency: 3, run }])
    await enqueue(same)
    await until(async () => ran[0], 'the first job')
    await enqueue(same)
    await enqueue(other)
    await until(async () => ran[1], 'the job with another id')
    expect(ran).toEqual([same.id, other.id])
    first.resolve()
    await until(async () => ran[2], 'the second job with the id')
    expect(ran).toEqual([same.id, other.id, same.id])
  } finally {
    await queue.close()
  }
})

test.each(['enqueue', 'enqueueFirst'] as const)(
  'jobs of one tenant that do not end leave slots to others: %s',
  async (how) => {
    const queue = await openQueue(source.appUrl, log, listener, hardlyEver)
    const name = `shared-${how.toLowerCase()}`
    const end = Promise.withResolvers<void>()
    try {
      const [hanging, other] = [newId(), newId()]
      const ran: string[] = []
      const run = ({ tenantId }: { tenantId: string }) => {
        ran.push(tenantId)
        return tenantId === hanging ? end.promise : Promise.resolve()
      }
      await queue.work([{ queue: name, concurrency: 8, run }])
      const enqueue = (tenantId: string) =>
        database.inDirectory((tx) => queue[how](tx, name, { tenantId, id: newId() }))
      for (let n = 0; n < 20; n++) await enqueue(hanging)
      await until(async () => ran.length >= 6 || undefined, 'the share was used')
      const begun = performance.now()
      for (let n = 0; n < 10; n++) await enqueue(other)
      await until(
        async () => ran.filter((id) => id === other).length === 10 || undefined,
        'the jobs of the other tenant',
      )
      expect(performance.now() - begun).toBeLessThan(5000)
      // One that is fetched at the moment when the share is used up may be one too many.
      expect([6, 7]).toContain(ran.filter((id) => id === hanging).length)
      end.resolve()
      await until(async () => ran.length === 30 || undefined, 'the other jobs')
    } finally {
      end.resolve()
      await queue.close()
    }
  },
)

test('the job of a killed process is run by another process', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../testing/processes/queue-process.ts')], {
    env: { NODE_ENV: 'test', APP_URL: source.appUrl, QUEUE: 'orphaned' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const queue = await openQueue(source.appUrl, log, listener, hardlyEver)
  try {
    const data = job()
    const taken = once(child.stdout, 'data')
    await until(
      () =>
        database
          .inDirectory((tx) => queue.enqueue(tx, 'orphaned', data))
          .then(
            () => true,
            () => undefined,
          ),
      'the queue of the other process',
    )
    expect(String((await taken)[0]).trim()).toBe(data.id)
    const done: string[] = []
    await queue.work([{ queue: 'orphaned', concurrency: 2, run: async ({ id }) => void done.push(id) }])
    child.kill('SIGKILL')
    await until(async () => done[0], 'the job of the dead process', 50_000)
    expect(done).toEqual([data.id])
  } finally {
    child.kill('SIGKILL')
    await queue.close()
  }
}, 120_000)

const stored = async (id: string) =>
  (
    await owner.query<{ state: string; retry_count: number; isTaken: boolean }>(
      `select state, retry_count, started_on = created_on as "isTaken" from pgboss.job where singleton_key = $1`,
      [id],
    )
  ).rows

test('the first job of an id is run by the process that enqueues it, after the commit and at most as many at once', async () => {
  const queue = await openQueue(source.appUrl, log, listener, hardlyEver)
  try {
    const held = Promise.withResolvers<void>()
    const ran: string[] = []
    const run = ({ id }: { id: string }) => {
      ran.push(id)
      return held.promise
    }
    await queue.work([{ queue: 'firsts', concurrency: 2, run }])
    const [one, two, three, undone] = [job(), job(), job(), job()]
    const first = (data: typeof one) => database.inDirectory((tx) => queue.enqueueFirst(tx, 'firsts', data))
    const rolledBack = database.inDirectory(async (tx) => {
      await queue.enqueueFirst(tx, 'firsts', undone)
      throw new Error('Undone.')
    })
    await expect(rolledBack).rejects.toThrow('Undone.')
    for (const data of [one, two, three]) await first(data)
    expect(await stored(one.id)).toEqual([{ state: 'active', retry_count: 0, isTaken: true }])
    expect(ran).toEqual([one.id, two.id])
    held.resolve()
    await until(async () => ran[2], 'the job that had to wait')
    expect(ran).toEqual([one.id, two.id, three.id])
    await until(async () => (await stored(one.id))[0]?.state === 'completed' || undefined, 'the end of the first job')
    expect(await stored(undone.id)).toEqual([])
  } finally {
    await queue.close()
  }
})

test('transactions that are open at the same time take no more first jobs than workers are free, and a rollback frees one', async () => {
  const queue = await openQueue(source.appUrl, log, listener, hardlyEver)
  const held = Promise.withResolvers<void>()
  try {
    await queue.work([{ queue: 'crowded', concurrency: 1, run: () => held.promise }])
    const [undone, one] = [job(), job()]
    const [enqueued, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const rolledBack = database.inDirectory(async (tx) => {
      await queue.enqueueFirst(tx, 'crowded', undone)
      enqueued.resolve()
      await end.promise
      throw new Error('Undone.')
    })
    await enqueued.promise
    // The open transaction has the only worker.
    await database.inDirectory((tx) => queue.enqueueFirst(tx, 'crowded', one))
    expect(await stored(one.id)).toMatchObject([{ state: 'created' }])
    end.resolve()
    await expect(rolledBack).rejects.toThrow('Undone.')
    held.resolve()
    await until(async () => (await stored(one.id))[0]?.state === 'completed' || undefined, 'the job of the queue')
    // As soon as the process has looked for jobs that waited, its worker is free again.
    await until(async () => {
      const next = job()
      await database.inDirectory((tx) => queue.enqueueFirst(tx, 'crowded', next))
      return (await stored(next.id))[0]?.isTaken || undefined
    }, 'a first job that is taken again')
  } finally {
    held.resolve()
    await queue.close()
  }
})

test('a first job that has to wait is run as its process would have run it, and after a failure from the tables', async () => {
  const queue = await openQueue(source.appUrl, log, listener, hardlyEver)
  const held = Promise.withResolvers<void>()
  const ran: string[] = []
  try {
    const [busy, waits, undone] = [job(), job(), job()]
    const run = ({ id }: { id: string }) => {
      ran.push(`handler ${id}`)
      return id === busy.id ? held.promise : Promise.resolve()
    }
    await queue.work([{ queue: 'waiting', concurrency: 1, run }])
    const first = (data: typeof busy) =>
      database.inDirectory(async (tx) => {
        let stored = { id: '', taken: true }
        const run = () => {
          ran.push(`own ${data.id}`)
          return Promise.reject(new Error('Not yet.'))
        }
        await queue.enqueueFirst(tx, 'waiting', data, { run, store: (one) => (stored = one) })
        expect(stored.taken).toBe(false)
        await sql`select store_job(${stored.id}, 'waiting', ${JSON.stringify(data)}, ${data.id}, false)`.execute(tx)
        if (data === undone) throw new Error('Undone.')
      })
    await database.inDirectory((tx) => queue.enqueueFirst(tx, 'waiting', busy))
    await expect(first(undone)).rejects.toThrow('Undone.')
    await first(waits)
    expect(await stored(waits.id)).toEqual([{ state: 'created', retry_count: 0, isTaken: null }])
    expect(await stored(undone.id)).toEqual([])
    held.resolve()
    await until(async () => ran[2], 'the second attempt')
    expect(ran).toEqual([`handler ${busy.id}`, `own ${waits.id}`, `handler ${waits.id}`])
    await until(async () => (await stored(waits.id))[0]?.state === 'completed' || undefined, 'the end of the job')
  } finally {
    held.resolve()
    await queue.close()
  }
})

test('a job is stored by store_job as the library stores one', async () => {
  const queue = await openQueue(source.appUrl, log, listener, hardlyEver)
  try {
    await queue.work([{ queue: 'alike', concurrency: 1, run: () => Promise.resolve() }])
    await queue.drain(10_000)
    const [theirs, ours] = [job(), job()]
    await database.inDirectory((tx) => queue.enqueue(tx, 'alike', theirs))
    await database.inDirectory((tx) =>
      sql`select store_job(${newId()}, 'alike', ${JSON.stringify(ours)}, ${ours.id}, false)`.execute(tx),
    )
    const row = async ({ tenantId, id }: typeof ours) => {
      const { rows } = await owner.query<{ row: object }>(
        `select to_jsonb(job) - '{id,created_on,start_after,keep_until}'::text[]
           || jsonb_build_object('waits', start_after - created_on, 'kept', keep_until - created_on) as row
         from pgboss.job_common job where singleton_key = $1`,
        [id],
      )
      return JSON.parse(JSON.stringify(rows).replaceAll(tenantId, 'tenant').replaceAll(id, 'id'))
    }
    expect(await row(ours)).toEqual(await row(theirs))
    expect(await row(ours)).toMatchObject([{ row: { state: 'created', heartbeat_seconds: 10 } }])
  } finally {
    await queue.close()
  }
})

test('the end of an attempt does not end a job that another process has got since', async () => {
  const queue = await openQueue(source.appUrl, log, listener, hardlyEver)
  const held = Promise.withResolvers<void>()
  try {
    await queue.work([{ queue: 'lost', concurrency: 1, run: () => held.promise }])
    const data = job()
    await database.inDirectory((tx) => queue.enqueueFirst(tx, 'lost', data))
    await owner.query('update pgboss.job set retry_count = 1 where singleton_key = $1', [data.id])
    held.resolve()
    await queue.drain(10_000)
    expect(await stored(data.id)).toMatchObject([{ state: 'active', retry_count: 1 }])
  } finally {
    held.resolve()
    await queue.close()
  }
})

test('a first job that fails is run again, and one that is running is returned when the process closes its queue', async () => {
  const queue = await openQueue(source.appUrl, log, listener, hardlyEver)
  const attempts: number[] = []
  const data = job()
  try {
    const run = (_: unknown, retries: number) => {
      attempts.push(retries)
      return retries === 0 ? Promise.reject(new Error('Not yet.')) : Promise.resolve()
    }
    await queue.work([{ queue: 'failing', concurrency: 1, run }])
    await database.inDirectory((tx) => queue.enqueueFirst(tx, 'failing', data))
    await until(async () => attempts[1], 'the second attempt')
    expect(attempts).toEqual([0, 1])
  } finally {
    await queue.close()
  }
  const closing = await openQueue(source.appUrl, log, listener, hardlyEver)
  await closing.work([{ queue: 'endless', concurrency: 1, run: () => new Promise(() => undefined) }])
  const endless = job()
  await database.inDirectory((tx) => closing.enqueueFirst(tx, 'endless', endless))
  await closing.drain(0)
  await closing.close()
  expect(await stored(endless.id)).toMatchObject([{ state: 'retry' }])
}, 60_000)

test('a first job whose process is killed is run by another process', async () => {
  const data = job()
  const child = spawn(process.execPath, [join(import.meta.dirname, '../testing/processes/queue-process.ts')], {
    env: { NODE_ENV: 'test', APP_URL: source.appUrl, QUEUE: 'orphaned-first', FIRST: data.id },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const queue = await openQueue(source.appUrl, log, listener, hardlyEver)
  try {
    expect(String((await once(child.stdout, 'data'))[0]).trim()).toBe(data.id)
    const done: string[] = []
    await queue.work([{ queue: 'orphaned-first', concurrency: 2, run: async ({ id }) => void done.push(id) }])
    child.kill('SIGKILL')
    await until(async () => done[0], 'the job of the dead process', 50_000)
    expect(done).toEqual([data.id])
  } finally {
    child.kill('SIGKILL')
    await queue.close()
  }
}, 120_000)

test('an idle process runs few statements, however many queues it has', async () => {
  const queue = await openQueue(source.appUrl, log, listener)
  try {
    const done = new Set<string>()
    const handlers = Array.from({ length: 20 }, (_, index) => ({
      queue: `rest-${index}`,
      concurrency: 4,
      run: async ({ id }: { id: string }) => void done.add(id),
    }))
    await queue.work(handlers)
    const transactions = async () => {
      const { rows } = await owner.query<{ count: number }>(
        'select (xact_commit + xact_rollback)::float8 as count from pg_stat_database where datname = current_database()',
      )
      return rows[0]?.count ?? 0
    }
    // A job that becomes due after two seconds measures the time, and costs some statements of its own. Were each worker to poll,
    // there would be 160. Database statistics arrive with some delay: the first measurements include the start of the workers.
    const settled = async () => {
      const before = await transactions()
      const data = job()
      await database.inDirectory((tx) => queue.enqueue(tx, 'rest-0', data, { seconds: 2 }))
      await until(async () => done.has(data.id) || undefined, 'the delayed job')
      return (await transactions()) - before <= 40 || undefined
    }
    expect(await until(settled, 'the process to become idle')).toBe(true)
  } finally {
    await queue.close()
  }
})

test('a process that is alone runs its jobs, and notifies no one of them', async () => {
  const queue = await openQueue(source.appUrl, log, listener, hardlyEver)
  const done = new Set<string>()
  await queue.work([{ queue: 'alone', concurrency: 1, run: async ({ id }) => void done.add(id) }])
  const ear = new pg.Client({ connectionString: source.appUrl, application_name: applicationName() })
  await ear.connect()
  const heard: string[] = []
  ear.on('notification', ({ payload = '' }) => heard.push(payload))
  await ear.query('listen job')
  await until(async () => listener.own.processId(), 'the process knows that it is alone')
  const [one, two] = [job(), job()]
  for (const data of [one, two]) await database.inDirectory((tx) => queue.enqueue(tx, 'alone', data))
  await until(async () => (done.has(one.id) && done.has(two.id)) || undefined, 'both jobs have run')
  await ear.query(`select pg_notify('job', 'the end')`)
  await expect.poll(() => heard).toEqual(['the end'])
  const { rows } = await owner.query(`select notify from pgboss.queue where name = 'alone'`)
  expect(rows).toEqual([{ notify: false }])
  await ear.end()
  await queue.close()
})
