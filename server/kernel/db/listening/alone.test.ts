import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '#server/kernel/ids.ts'
import { createLog } from '#server/kernel/log.ts'
import { type TestDatabase, testDatabase } from '#server/testing/database.ts'
import { until } from '#server/testing/until.ts'
import { applicationName, protocol } from '../application-name.ts'
import { type Database, openDatabase } from '../database.ts'
import { openListener } from '../listen.ts'
import { notify } from '../notify.ts'
import { register, watchRegistrations } from './registration-store.ts'

// A process informs its own readers, and notifies others only if there are any.

const log = createLog('silent')
let source: TestDatabase
let listener: ReturnType<typeof openListener>
let database: Database
/** Hears every notification, as another process would. It is not registered. */
let ear: pg.Client
const heard: string[] = []
let woken: string[] = []
let off: () => void = () => undefined
const clients: pg.Client[] = []

const connect = async (name: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: source.appUrl, application_name: name })
  await client.connect()
  clients.push(client)
  return client
}
const registered = async () => (await ear.query<{ id: string }>('select id from listening_processes')).rows
const nameItself = () =>
  until(async () => (listener.own.processId() === undefined ? undefined : true), 'the process knows who listens')
/** Without waiting for the next check of the process. */
const check = async (url = source.appUrl): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, application_name: applicationName('listener') })
  await client.connect()
  const ended = new AbortController()
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const seen = { unregisteredAt: Number.NEGATIVE_INFINITY }
  const watching = watchRegistrations(client, newId(), ended.signal, { found: resolve, failed: reject, seen })
  const all = await promise
  ended.abort()
  await watching
  await client.end()
  return all
}
const commit = (topic: string) => database.inDirectory(async (tx) => notify(tx, 'trace', topic))
/** All notifications so far: later ones arrive after it. */
const allHeard = async () => {
  const mark = newId()
  await ear.query(`select pg_notify('trace', $1)`, [mark])
  await expect.poll(() => heard.at(-1)).toBe(mark)
  return heard.splice(0).slice(0, -1)
}

beforeAll(async () => {
  source = await testDatabase()
  listener = openListener(source.appUrl, log)
  database = openDatabase(source.appUrl, log, { poolSize: 2, own: listener.own })
  ear = await connect(applicationName())
  ear.on('notification', ({ payload = '' }) => heard.push(payload))
  await ear.query('listen trace')
})
beforeEach(async () => {
  await nameItself()
  woken = []
  // Without a topic: a transaction of another suite has ended that was in progress at the registration.
  off = listener.on('trace', '*', (topic) => void (topic !== undefined && woken.push(topic)))
})
afterEach(async () => {
  off()
  for (const client of clients.splice(1)) await client.end()
  await check()
})
afterAll(async () => {
  await listener.close()
  expect(await registered()).toEqual([])
  await database.close()
  await ear.end()
  await source.close()
})

describe('a commit of a process that is alone', () => {
  test('wakes its readers once for each topic, and sends no notification', async () => {
    expect(await registered()).toHaveLength(1)
    await database.inDirectory(async (tx) => {
      notify(tx, 'trace', 'one')
      notify(tx, 'trace', 'one')
      notify(tx, 'trace', 'two')
    })
    await expect.poll(() => woken).toEqual(['one', 'two'])
    expect(await allHeard()).toEqual([])
  })

  test('wakes readers of its topic only, and none after a rollback', async () => {
    let others = 0
    const offs = [listener.on('trace', 'other', () => others++), listener.on('audit', '*', () => others++)]
    await expect(
      database.inDirectory(async (tx) => {
        notify(tx, 'trace', 'other')
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await commit('this')
    await expect.poll(() => woken).toEqual(['this'])
    expect(others).toBe(0)
    for (const one of offs) one()
  })
})

describe('another process', () => {
  test('that is registered is notified, and the readers of this one are woken once', async () => {
    const other = await connect(applicationName('listener'))
    await register(other, newId())
    await commit('one')
    expect(await allHeard()).toEqual(['one'])
    await expect.poll(() => woken).toContain('one')
    // The notification has arrived here by now, too.
    const mark = newId()
    await ear.query(`select pg_notify('trace', $1)`, [mark])
    await expect.poll(() => woken).toContain(mark)
    expect(woken.filter((topic) => topic === 'one')).toEqual(['one'])
    await allHeard()
  })

  test('that disconnects without unregistering is no longer notified after the next check', async () => {
    const other = await connect(applicationName('listener'))
    await register(other, newId())
    expect(await check()).toBe(true)
    expect(await registered()).toHaveLength(2)
    await other.end()
    expect(await check()).toBe(true)
    expect(await registered()).toHaveLength(1)
    await commit('alone again')
    await expect.poll(() => woken).toContain('alone again')
    expect(await allHeard()).toEqual([])
  })

  test.each([`countersign-listen/${protocol}`, 'countersign', 'psql'])(
    'that can’t be known to be registered counts as one that listens: %s',
    async (name) => {
      // Elsewhere: the process of the other tests would not name itself for a minute.
      const elsewhere = await testDatabase()
      expect(await check(elsewhere.appUrl)).toBe(true)
      const client = new pg.Client({ connectionString: elsewhere.appUrl, application_name: name })
      await client.connect()
      expect(await check(elsewhere.appUrl)).toBe(false)
      await client.end()
      await elsewhere.close()
    },
  )

  test('of a process that does not name itself is notified', async () => {
    const unnamed = openDatabase(source.appUrl, log, { poolSize: 1 })
    await unnamed.inDirectory(async (tx) => notify(tx, 'trace', 'unnamed'))
    await unnamed.close()
    expect(await allHeard()).toEqual(['unnamed'])
    await expect.poll(() => woken).toContain('unnamed')
  })

  test('reads again what was committed after its registration by a transaction that did not know of it', async () => {
    const [{ id = '' } = {}] = await registered()
    const writer = await connect(applicationName())
    await writer.query('begin')
    await writer.query(`select set_config('app.process_id', $1, true), pg_current_xact_id()`, [id])
    await writer.query(`select tell_others(array['trace'], array['late'])`)
    const other = openListener(source.appUrl, log)
    let wakes = 0
    const stop = other.on('trace', 'late', () => wakes++)
    await until(async () => ((await registered()).length === 2 ? true : undefined), 'the other process is registered')
    // It has listened, and its readers have read: the first wake.
    await expect.poll(() => wakes).toBeGreaterThan(0)
    const before = wakes
    await writer.query('commit')
    await expect.poll(() => wakes).toBeGreaterThan(before)
    expect(await allHeard()).toEqual([])
    stop()
    await other.close()
    expect(await registered()).toHaveLength(1)
  })
})
