import { Client, Pool } from 'pg'
import { expect, test } from 'vitest'
import { testDatabase } from '#server/testing/database.ts'
import { loggedError } from './log.ts'

test('the log has the plain fields of an error, and its cause, but no rows and no objects of libraries', () => {
  const cause = Object.assign(new Error('The row is there already.'), {
    code: '23505',
    detail: 'Key (email)=(a@b.example)',
  })
  const error = Object.assign(new Error('Not stored.', { cause }), {
    code: 'E1',
    query: 'select 1',
    client: { secretKey: 1 },
    retry: () => undefined,
  })
  const logged = loggedError(error)
  expect(logged).toMatchObject({ type: 'Error', message: 'Not stored.: The row is there already.', code: 'E1' })
  expect(Object.keys(logged as object).sort()).toEqual(['code', 'message', 'stack', 'type'])
  expect(loggedError(new AggregateError([error]))).toMatchObject({ aggregateErrors: [{ code: 'E1' }] })
  expect(JSON.stringify(loggedError(new AggregateError([error])))).not.toContain('secretKey')
})

test('a lost connection is logged without its statements and its cancel key', async () => {
  const database = await testDatabase()
  const pool = new Pool({ connectionString: database.ownerUrl })
  const lost = new Promise<Error>((resolve) => void pool.once('error', resolve))
  const client = await pool.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  client.release()
  const other = new Client({ connectionString: database.ownerUrl })
  await other.connect()
  await other.query('select pg_terminate_backend($1)', [rows[0]?.pid])
  const error = await lost
  // What the library attaches to it.
  expect(error).toHaveProperty('client')
  const text = JSON.stringify(loggedError(error))
  expect(text).toContain('57P01')
  expect(text).not.toMatch(/secretKey|connectionParameters/)
  expect(text.length).toBeLessThan(4000)
  await pool.end()
  // The end of a pool does not wait until its connections are closed, and the database is dropped with those that are left.
  await other.end()
  await database.close()
})
