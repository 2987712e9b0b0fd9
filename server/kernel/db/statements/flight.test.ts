import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#server/testing/database.ts'
import { until } from '#server/testing/until.ts'
import { Flight } from './flight.ts'

// Statements on one connection of the driver, as PooledConnection sends them.

let source: TestDatabase
let owner: pg.Client
let client: pg.Client
beforeAll(async () => {
  source = await testDatabase()
  owner = new pg.Client(source.ownerUrl)
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await source.close()
})
beforeEach(async () => {
  client = new pg.Client({ connectionString: source.ownerUrl, pipeline: true })
  client.on('error', () => undefined)
  await client.connect()
  return () => client.end()
})

type Asked = [name: string | undefined, text: string, ...values: unknown[]]

/** Sends these together, and returns what became of each. */
function fly(...asked: Asked[]) {
  const flight = new Flight()
  const answers = asked.map(([name, text, ...values]) => flight.add(name, text, values))
  client.query(flight)
  return Promise.allSettled(answers)
}

const rows = (rows: unknown[], command = 'SELECT', rowCount = rows.length) => ({
  status: 'fulfilled',
  value: { command, rowCount, rows },
})
const refused = (code: string) => ({ status: 'rejected', reason: expect.objectContaining({ code }) })

/** The messages that PostgreSQL sends during `work`. */
async function messagesDuring(work: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = []
  const { connection } = client as pg.Client & { connection: pg.Connection }
  const see = ({ name }: { name: string }) => seen.push(name)
  connection.on('message', see)
  await work()
  connection.off('message', see)
  return seen
}

test('statements are answered in their order, each with its rows, and PostgreSQL says once that it is ready', async () => {
  await client.query('create temporary table counted (one_value integer, "asIs" jsonb)')
  const once = () =>
    fly(
      ['insert', 'insert into counted values ($1, $2)', 7, '{"a_b": 1}'],
      [undefined, 'select one_value, one_value + 1 as next_value from counted where one_value = $1', 7],
      ['read', 'select one_value, "asIs", null::timestamptz as at_time from counted'],
      ['delete', 'delete from counted'],
    )
  const expected = [
    rows([], 'INSERT', 1),
    rows([{ oneValue: 7, nextValue: 8 }]),
    rows([{ oneValue: 7, asIs: { a_b: 1 }, atTime: null }]),
    rows([], 'DELETE', 1),
  ]
  const first = await messagesDuring(async () => expect(await once()).toEqual(expected))
  // What is known by now is not asked for again.
  const second = await messagesDuring(async () => expect(await once()).toEqual(expected))
  const count = (messages: string[], name: string) => messages.filter((one) => one === name).length
  expect(count(first, 'readyForQuery')).toBe(1)
  expect([count(first, 'parseComplete'), count(first, 'rowDescription'), count(first, 'noData')]).toEqual([4, 2, 2])
  expect([count(second, 'parseComplete'), count(second, 'rowDescription'), count(second, 'noData')]).toEqual([1, 1, 0])
})

test('what follows a failed statement is skipped, and can be sent later', async () => {
  await client.query('begin')
  const asked: Asked[] = [
    ['one', 'select 1 as one'],
    ['divide', 'select 1 / $1::integer as quotient', 0],
    ['two', 'select 2 as two'],
  ]
  expect(await fly(...asked)).toEqual([rows([{ one: 1 }]), refused('22012'), refused('25P02')])
  await client.query('rollback')
  const again = await fly(['two', 'select 2 as two'], ['divide', 'select 1 / $1::integer as quotient', 1])
  expect(again).toEqual([rows([{ two: 2 }]), rows([{ quotient: 1 }])])
})

test('a text that PostgreSQL does not understand fails alone of those before it', async () => {
  const asked: Asked[] = [
    ['good', 'select 1 as one'],
    ['bad', 'selec 1'],
    ['late', 'select 3 as three'],
  ]
  await client.query('begin')
  expect(await fly(...asked)).toEqual([rows([{ one: 1 }]), refused('42601'), refused('25P02')])
  await client.query('rollback')
  expect(await fly(['late', 'select 3 as three'])).toEqual([rows([{ three: 3 }])])
})

test('a value that can’t be written, and a row that can’t be read, fail alone', async () => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  const flight = new Flight()
  expect(() => flight.add(undefined, 'select $1::jsonb', [circular])).toThrow(/circular/i)
  const read = pg.types.getTypeParser(pg.types.builtins.MACADDR)
  pg.types.setTypeParser(pg.types.builtins.MACADDR, () => {
    throw new Error('It is unreadable.')
  })
  try {
    const [unread, next] = await fly(
      ['address', `select '08:00:2b:01:02:03'::macaddr as address`],
      ['next', 'select 1 as one'],
    )
    expect(unread).toMatchObject({ status: 'rejected', reason: new Error('It is unreadable.') })
    expect(next).toEqual(rows([{ one: 1 }]))
  } finally {
    pg.types.setTypeParser(pg.types.builtins.MACADDR, read)
  }
})

test('a comment without a statement is answered, too, and no answer is given to another statement', async () => {
  expect(await fly(['one', 'select 1 as one'], [undefined, '-- nothing'], ['two', 'select 2 as two'])).toEqual([
    rows([{ one: 1 }]),
    rows([], '', 0),
    rows([{ two: 2 }]),
  ])
})

test('a prepared statement whose columns have changed is refused', async () => {
  await owner.query('create table changing (id integer)')
  const ask = () => fly(['all', 'select * from changing'])
  expect(await ask()).toEqual([rows([])])
  await owner.query('alter table changing add column name text')
  expect(await ask()).toEqual([refused('0A000')])
})

test('when the connection is lost, each statement without an answer fails', async () => {
  const { rows: found } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const ended = fly(['sleep', 'select pg_sleep(60)'], ['after', 'select 1 as one'])
  await until(async () => {
    const { rows: active } = await owner.query(
      `select from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'`,
      [found[0]?.pid],
    )
    return active[0]
  }, 'the statement that sleeps')
  await owner.query('select pg_terminate_backend($1)', [found[0]?.pid])
  // Neither says that a transaction has failed: the caller may try again.
  expect(await ended).toEqual([refused('57P01'), refused('57P01')])
  const [late] = await fly(['late', 'select 1 as one'])
  expect(late?.status).toBe('rejected')
})
