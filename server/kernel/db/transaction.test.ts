import { setTimeout as delay } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { beforeCommit, withCommit } from './closing.ts'
import { databaseTraffic } from './connection.ts'
import type { bindTenant, Transaction } from './database.ts'
import { register } from './listening/registration-store.ts'
import { notify } from './notify.ts'
import { inOneWrite, readingOnce } from './one-write.ts'
import { openPool } from './pool.ts'
import { openTransaction, within } from './transaction.ts'

// The properties of a transaction: one tenant, one connection, one COMMIT message with all notifications.

let running: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let ear: pg.Client
const heard: string[] = []
beforeAll(async () => {
  running = await testRuntime()
  tenant = await testTenant(running)
  ear = new pg.Client(running.database.url)
  await ear.connect()
  ear.on('notification', ({ payload = '' }) => heard.push(payload))
  await register(ear, newId())
  await ear.query('listen audit')
})
afterAll(async () => {
  await ear.end()
  await running.close()
})

const boundTo = async (tx: Parameters<typeof bindTenant>[0]): Promise<string | null | undefined> =>
  (await sql<{ id: string | null }>`select nullif(current_setting('app.tenant_id', true), '') as id`.execute(tx))
    .rows[0]?.id

/** Notifications arrive in commit order, so all earlier ones are here once a later one is. */
async function allHeard(): Promise<string[]> {
  await running.database.inDirectory(async (tx) => notify(tx, 'audit', 'the last one'))
  await expect.poll(() => heard.at(-1)).toBe('the last one')
  return heard.splice(0).slice(0, -1)
}

test('a topic is notified once at commit, and never by a rollback', async () => {
  await running.database.inTenant(tenant.id, async (tx) => {
    notify(tx, 'audit', "o'clock")
    notify(tx, 'audit', "o'clock")
    notify(tx, 'audit', 'other')
  })
  await expect(
    running.database.inTenant(tenant.id, async (tx) => {
      notify(tx, 'audit', 'never')
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect(await allHeard()).toEqual(["o'clock", 'other'])
})

test('a tenant is bound for one transaction, and the connection does not keep it', async () => {
  expect(await running.database.inTenant(tenant.id, boundTo)).toBe(tenant.id)
  const later = await Promise.all(Array.from({ length: 40 }, () => running.database.inDirectory(boundTo)))
  expect(new Set(later)).toEqual(new Set([null]))
  await expect(running.database.inTenant("x'; drop table members; --", boundTo)).rejects.toThrow('UUID')
})

test('after a failed statement nothing is committed, even if the work swallows the error', async () => {
  const id = '0198c000-0000-7000-8000-00000000f001'
  const work = running.database.inTenant(tenant.id, async (tx) => {
    await tx.insertInto('approverGroups').values({ tenantId: tenant.id, id, name: id, displayName: id }).execute()
    await expect(sql`select 1 / 0`.execute(tx)).rejects.toThrow('division by zero')
  })
  await expect(work).rejects.toThrow('rolled back')
  const groups = await running.database.inTenant(tenant.id, (tx) =>
    tx.selectFrom('approverGroups').select('id').where('tenantId', '=', tenant.id).where('id', '=', id).execute(),
  )
  expect(groups).toEqual([])
})

test('an ended transaction accepts no statement and can’t be ended again', async () => {
  const { tx, commit, rollBack } = await running.database.open()
  expect(await boundTo(tx)).toBeNull()
  await commit()
  await expect(boundTo(tx)).rejects.toThrow('has ended')
  await expect(rollBack()).rejects.toThrow('already ended')
})

test('concurrent statements are sent together and answered in order', async () => {
  const numbers = await running.database.inDirectory((tx) =>
    Promise.all(
      Array.from(
        { length: 50 },
        async (_, n) => (await sql<{ n: number }>`select ${n}::int as n`.execute(tx)).rows[0]?.n,
      ),
    ),
  )
  expect(numbers).toEqual(Array.from({ length: 50 }, (_, n) => n))
})

test('a frequent statement is prepared, and one whose preparation failed can be sent again', async () => {
  const often = (tx: Parameters<typeof boundTo>[0], text: string) =>
    sql<{ n: number }>`select length(${text}::text) as n`.execute(tx)
  for (let n = 0; n < 20; n++)
    expect((await running.database.inDirectory((tx) => often(tx, 'x'.repeat(n)))).rows).toEqual([{ n }])
  const prepared = await running.database.inDirectory((tx) =>
    sql<{
      statement: string
    }>`select statement from pg_prepared_statements where statement like 'select length(%'`.execute(tx),
  )
  expect(prepared.rows).toHaveLength(1)
  // In a failed transaction nothing can be prepared; the next one must not rely on it.
  const unlucky = async (fail: boolean) =>
    running.database.inDirectory(async (tx) => {
      if (fail) await sql`select 1 / 0`.execute(tx).catch(() => undefined)
      return (await sql<{ n: number }>`select ${'seldom'}::text || 'seen' as n`.execute(tx)).rows.length
    })
  for (let n = 0; n < 30; n++) {
    if (n % 3 === 0) await expect(unlucky(true)).rejects.toThrow()
    else expect(await unlucky(false)).toBe(1)
  }
})

describe('of a pool with one connection', () => {
  let pool: pg.Pool
  /** How often PostgreSQL has said that it is ready. */
  let ready = 0
  beforeEach(() => {
    pool = openPool(running.database.url, runtime().log, 'requests', { max: 1, pipeline: true })
    pool.on('connect', (client) => {
      const { connection } = client as pg.PoolClient & { connection: pg.Connection }
      connection.on('readyForQuery', () => {
        ready += 1
      })
    })
    return () => pool.end()
  })
  const open = () => openTransaction(pool, { tenantId: tenant.id })
  const pidIn = (tx: Transaction) => sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
  const insert = (tx: Transaction, id: string) =>
    tx.insertInto('approverGroups').values({ tenantId: tenant.id, id, name: id, displayName: id }).execute()
  const groups = async (id: string) =>
    await within(await open(), (tx) => tx.selectFrom('approverGroups').select('id').where('id', '=', id).execute())

  test('BEGIN, the statements of one turn and COMMIT are answered together', async () => {
    await within(await open(), boundTo)
    ready = 0
    expect(await readingOnce(await open(), boundTo)).toBe(tenant.id)
    expect(ready).toBe(1)
  })

  test('a COMMIT that is sent with a failed statement commits nothing, and the connection serves the next transaction', async () => {
    const before = await within(await open(), pidIn)
    const id = newId()
    const { tx, commit } = await open()
    const work = Promise.allSettled([insert(tx, id), sql`select 1 / 0`.execute(tx), commit()])
    expect(await work).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: '22012' } },
      { status: 'rejected', reason: { message: expect.stringContaining('rolled back') } },
    ])
    expect((await within(await open(), pidIn)).rows).toEqual(before.rows)
    expect(await groups(id)).toEqual([])
  })

  test('a transaction that has failed in an earlier turn commits nothing, and the connection serves the next one', async () => {
    const before = await within(await open(), pidIn)
    const id = newId()
    const work = within(await open(), async (tx) => {
      await insert(tx, id)
      await expect(sql`select 1 / 0`.execute(tx)).rejects.toThrow('division by zero')
      notify(tx, 'audit', 'never')
    })
    await expect(work).rejects.toMatchObject({ code: '25P02' })
    expect((await within(await open(), pidIn)).rows).toEqual(before.rows)
    expect(await groups(id)).toEqual([])
    expect(await allHeard()).toEqual([])
  })

  test('a connection whose COMMIT could not be composed is not used again: the next transaction would continue this one', async () => {
    const [row] = (await within(await open(), pidIn)).rows
    const work = within(await open(), async (tx) => {
      await boundTo(tx)
      const compose = () => {
        throw new Error('It can’t be composed.')
      }
      beforeCommit(tx, { kind: 'a statement that can’t be composed', parts: [], compose })
    })
    await expect(work).rejects.toThrow('can’t be composed')
    expect(await within(await openTransaction(pool), boundTo)).toBeNull()
    expect((await within(await open(), pidIn)).rows).not.toEqual([row])
  })

  test('a transaction of which a statement could not be sent commits nothing', async () => {
    const id = newId()
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const { tx, commit } = await open()
    const work = Promise.allSettled([insert(tx, id), sql`select ${circular}::jsonb`.execute(tx), commit()])
    expect(await work).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { message: expect.stringContaining('circular') } },
      { status: 'rejected', reason: { message: expect.stringContaining('rolled back') } },
    ])
    expect(await groups(id)).toEqual([])
  })

  test('after a BEGIN that failed nothing is sent, and the connection is not used again', async () => {
    const [row] = (await within(await open(), pidIn)).rows
    const id = newId()
    const { tx, commit } = await openTransaction(pool, { tenantId: tenant.id, snapshot: { id: 'unknown' } })
    await expect(boundTo(tx)).rejects.toThrow()
    await expect(insert(tx, id)).rejects.toThrow('snapshot')
    await expect(commit()).rejects.toThrow()
    expect((await within(await open(), pidIn)).rows).not.toEqual([row])
    expect(await groups(id)).toEqual([])
  })

  test('a connection that is lost with the COMMIT is not used again', async () => {
    const [row] = (await within(await open(), pidIn)).rows
    const { tx, commit } = await open()
    const work = Promise.allSettled([sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx), commit()])
    const lost = { status: 'rejected', reason: { code: '57P01' } }
    expect(await work).toMatchObject([lost, lost])
    expect((await within(await open(), pidIn)).rows).not.toEqual([row])
  })
})

test('a transaction starts with its first statement: until then no server process is idle in it', async () => {
  const { rows } = await ear.query<{ name: string }>('select current_database() as name')
  const owner = new pg.Client({
    connectionString: Object.assign(new URL(process.env.TEST_DATABASE_URL ?? ''), { pathname: rows[0]?.name }).href,
  })
  await owner.connect()
  const open = async () =>
    (
      await owner.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and state = 'idle in transaction'`,
      )
    ).rows[0]?.count
  try {
    const { tx, rollBack } = await running.database.open()
    expect(await open()).toBe(0)
    expect(await boundTo(tx)).toBeNull()
    expect(await open()).toBe(1)
    await rollBack()
    await expect.poll(open).toBe(0)
    const nothing = await running.database.open()
    await nothing.commit()
    expect(await open()).toBe(0)
  } finally {
    await owner.end()
  }
})

describe('works in one write', () => {
  const within = <T>(work: Parameters<typeof running.database.inTenant<T>>[1]) =>
    running.database.inTenant(tenant.id, work)
  /** What a statement answers, and in which order they were executed. */
  const number = (tx: Parameters<typeof bindTenant>[0], value: number) => async () =>
    (await sql<{ value: number; at: string }>`select ${value}::int as value, clock_timestamp()::text as at`.execute(tx))
      .rows[0] ?? { value: 0, at: '' }
  const ticks = async (count: number) => {
    for (let tick = 0; tick < count; tick++) await undefined
  }

  test('are executed in the order of the list, however long each prepares its statement', async () => {
    await within(async (tx) => {
      await number(tx, 0)()
      const before = databaseTraffic()
      const slow = async () => {
        await ticks(30)
        return await number(tx, 1)()
      }
      const nothing = async () => ({ value: 2, at: '' })
      const found = await inOneWrite(tx, [slow, nothing, number(tx, 3)])
      expect(found.map(({ value }) => value)).toEqual([1, 2, 3])
      expect(found[0].at < found[2].at).toBe(true)
      const after = databaseTraffic()
      expect([after.writes - before.writes, after.statements - before.statements]).toEqual([1, 2])
    })
  })

  test('that wait for something else first are still executed in order', async () => {
    await within(async (tx) => {
      const cold = async () => {
        await delay(5)
        return await number(tx, 1)()
      }
      const [first, second] = await inOneWrite(tx, [cold, number(tx, 2)])
      expect([first.value, second.value]).toEqual([1, 2])
      expect(first.at < second.at).toBe(true)
    })
  })

  test('throw the first error, and nothing of any of them is committed', async () => {
    const id = newId()
    const insert = (tx: Parameters<typeof bindTenant>[0]) => () =>
      tx.insertInto('approverGroups').values({ tenantId: tenant.id, id, name: id, displayName: id }).execute()
    const fail = async () => {
      await ticks(3)
      throw new Error('no')
    }
    await expect(within((tx) => inOneWrite(tx, [insert(tx), fail, number(tx, 1)]))).rejects.toThrow('no')
    await expect(
      within((tx) => inOneWrite(tx, [insert(tx), () => sql`select 1 / 0`.execute(tx), number(tx, 1)])),
    ).rejects.toThrow('division by zero')
    const groups = await within((tx) => tx.selectFrom('approverGroups').select('id').where('id', '=', id).execute())
    expect(groups).toEqual([])
  })
})

describe('a statement sent with the COMMIT', () => {
  const insert = (name: string) =>
    CompiledQuery.raw('insert into observed_agents (tenant_id, name, last_trace_id) values ($1, $2, $3)', [
      tenant.id,
      name,
      'x'.repeat(32),
    ])
  const exists = (name: string) =>
    running.database.inTenant(tenant.id, async (tx) => {
      const rows = await tx.selectFrom('observedAgents').select('name').where('name', '=', name).execute()
      return rows.length === 1
    })

  test('costs no write of its own, and is executed with it or not at all', async () => {
    const [name, other] = [newId(), newId()]
    const before = databaseTraffic()
    await running.database.inTenant(tenant.id, async (tx) => withCommit(tx, insert(name)))
    expect(databaseTraffic().writes - before.writes).toBe(1)
    expect(await exists(name)).toBe(true)
    const failing = running.database.inTenant(tenant.id, async (tx) => {
      withCommit(tx, insert(other))
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await exists(other)).toBe(false)
  })

  test('that fails commits nothing, and the caller gets its error', async () => {
    const [name, other] = [newId(), newId()]
    const failing = running.database.inTenant(tenant.id, async (tx) => {
      await tx.executeQuery(insert(name))
      await tx.executeQuery(insert(other))
      withCommit(tx, insert(name))
    })
    await expect(failing).rejects.toThrow('duplicate key')
    expect([await exists(name), await exists(other)]).toEqual([false, false])
  })

  test('can’t write evidence, which is bound before', async () => {
    const failing = running.database.inTenant(tenant.id, async (tx) =>
      withCommit(tx, CompiledQuery.raw('update approver_groups set name = name')),
    )
    await expect(failing).rejects.toThrow('evidence')
  })
})

describe('a read in one write', () => {
  test('sees only the tenant’s rows, and leaves the connection without a tenant', async () => {
    const before = databaseTraffic()
    expect(await running.database.readInTenant(tenant.id, boundTo)).toBe(tenant.id)
    const after = databaseTraffic()
    expect([after.writes - before.writes, after.commits - before.commits]).toEqual([1, 1])
    const later = await Promise.all(Array.from({ length: 40 }, () => running.database.inDirectory(boundTo)))
    expect(new Set(later)).toEqual(new Set([null]))
  })

  test('throws the error of a statement, and that of a second turn', async () => {
    await expect(running.database.readInTenant(tenant.id, (tx) => sql`select 1 / 0`.execute(tx))).rejects.toThrow(
      'division by zero',
    )
    await expect(
      running.database.readInTenant(tenant.id, async (tx) => {
        await boundTo(tx)
        return await boundTo(tx)
      }),
    ).rejects.toThrow('has ended')
    expect(await running.database.readInTenant(tenant.id, boundTo)).toBe(tenant.id)
  })
})
