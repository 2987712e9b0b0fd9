import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ConfigError } from '#server/kernel/config.ts'
import { createLog } from '#server/kernel/log.ts'
import { emptyDatabase } from '#server/testing/database.ts'
import { until } from '#server/testing/until.ts'
import { openDatabase } from './database.ts'
import { applyMigrations, isUnused, type LockWait, migrate } from './migrate.ts'
import { requireServerRole } from './roles.ts'

// Mistakes in DATABASE_URL are reported in one clear line.

const name = `cs_migrate_${randomBytes(4).toString('hex')}`
let server: Client
beforeAll(async () => {
  server = new Client({ connectionString: process.env.TEST_DATABASE_URL })
  await server.connect()
  await server.query(`create role ${name} login password 'secret' nosuperuser nocreaterole`)
  await server.query(`create database ${name} owner ${name}`)
})
afterAll(async () => {
  await server.query(`drop database ${name} with (force)`)
  for (const role of ['server', 'keeper']) await server.query(`drop role if exists ${name}_${role}`)
  await server.query(`drop role ${name}`)
  await server.end()
})

const address = (change: (url: URL) => void) => {
  const url = new URL(process.env.TEST_DATABASE_URL ?? '')
  Object.assign(url, { pathname: `/${name}`, username: name, password: 'secret' })
  change(url)
  return url.href
}
const refusal = async (url: string) => {
  const error: unknown = await migrate(url).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ConfigError)
  const { message } = error as ConfigError
  expect(message).toMatch(/^DATABASE_URL: [^\n]+$/)
  expect(message).not.toContain('secret')
  return message
}

test('a server that does not listen is reported', async () => {
  expect(await refusal(address((url) => Object.assign(url, { port: '1' })))).toContain('ECONNREFUSED')
})

test('a database that does not exist is reported', async () => {
  expect(await refusal(address((url) => Object.assign(url, { pathname: '/no_such_database' })))).toContain(
    'does not exist',
  )
})

test('a role without CREATEROLE is reported; with it the database is set up, repeatedly', async () => {
  const url = address(() => undefined)
  expect(await isUnused(url)).toBe(true)
  expect(await refusal(url)).toContain('CREATEROLE')
  await server.query(`alter role ${name} createrole`)
  const application = await migrate(url)
  expect(await isUnused(url)).toBe(false)
  expect(new URL(application).username).toBe(`${name}_server`)
  expect(await migrate(url)).toBe(application)
})

test('the role of earlier versions keeps its rights while one of their processes runs, and no longer', async () => {
  const url = address(() => undefined)
  await migrate(url)
  const owner = new Client({ connectionString: url })
  await owner.connect()
  const role = `${name}_app`
  const rights = async () =>
    (await owner.query<{ may: boolean }>(`select has_table_privilege($1, 'audit_tiles', 'update') as may`, [role]))
      .rows[0]?.may
  // As a process of an earlier version does at its start.
  await owner.query(`create role ${role} login nosuperuser nobypassrls password 'older'`)
  await owner.query(`grant usage on schema public, pgboss to ${role}`)
  await owner.query(`grant select, insert, update, delete on all tables in schema public to ${role}`)
  const older = new Client({
    connectionString: address((open) => Object.assign(open, { username: role, password: 'older' })),
  })
  await older.connect()
  await migrate(url)
  expect(await rights()).toBe(true)
  expect((await older.query('select from audit_tiles')).rowCount).toBe(0)
  await older.end()
  await until(async () => {
    await migrate(url)
    return (await rights()) === false ? true : undefined
  }, 'the session has ended')
  await owner.query(`drop role ${role}`)
  await owner.end()
})

test('a start of an earlier version leaves the rights alone that a later one has given', async () => {
  const url = address(() => undefined)
  await migrate(url)
  const owner = new Client({ connectionString: url })
  await owner.connect()
  const rights = async (columns: string) =>
    (
      await owner.query<{ may: boolean }>(`select has_column_privilege($1, 'tenants', $2, 'update') as may`, [
        `${name}_server`,
        columns,
      ])
    ).rows[0]?.may
  // A version with another list and the same schema.
  await owner.query(`grant update (name) on tenants to ${name}_server`)
  await owner.query(`revoke update (branding) on tenants from ${name}_server`)
  await migrate(url)
  expect([await rights('name'), await rights('branding')]).toEqual([true, true])
  // A version with another schema.
  await owner.query(`insert into schema_migrations (name, sha256) values ('9999_later.sql', '')`)
  await owner.query(`revoke update (branding) on tenants from ${name}_server`)
  await migrate(url)
  expect([await rights('name'), await rights('branding')]).toEqual([true, false])
  await owner.query(`delete from schema_migrations where name = '9999_later.sql'`)
  await owner.end()
})

test('an address without a password does not give the application’s role a guessable one', async () => {
  vi.stubEnv('PGPASSWORD', 'secret')
  try {
    const url = address((open) => Object.assign(open, { password: '' }))
    await expect(migrate(url)).rejects.toThrow('needs the master key')
    const key = Buffer.alloc(32, 7)
    const application = new URL(await migrate(url, key))
    expect(await migrate(url, key)).toBe(application.href)
    const guessable = createHmac('sha256', '').update(`application role ${name}_server`).digest('hex')
    expect(application.password).not.toBe(guessable)
    expect(new URL(await migrate(url, Buffer.alloc(32, 8))).password).not.toBe(application.password)
  } finally {
    vi.unstubAllEnvs()
  }
})

const workAs = async (url: string) => {
  const database = openDatabase(url, createLog('silent'), { poolSize: 1 })
  try {
    await database.inDirectory(requireServerRole)
  } finally {
    await database.close()
  }
}

/** A folder with the socket of the test's server, as libpq expects it. */
async function socketFolder(): Promise<AsyncDisposable & { folder: string }> {
  const { hostname, port } = new URL(process.env.TEST_DATABASE_URL ?? '')
  const folder = await mkdtemp(join(tmpdir(), 'cs-socket-'))
  const relay = createServer((near) => {
    const far = connect(Number(port || 5432), hostname)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
    near.pipe(far).pipe(near)
  }).listen(join(folder, '.s.PGSQL.5432'))
  await once(relay, 'listening')
  return {
    folder,
    async [Symbol.asyncDispose]() {
      relay.close()
      await rm(folder, { recursive: true })
    },
  }
}

test('a socket’s address, with its user as a parameter or in the environment, leads to the server’s role', async () => {
  await using socket = await socketFolder()
  const key = Buffer.alloc(32, 7)
  const plain = `postgres:///${name}?host=${socket.folder}`
  await workAs(await migrate(`${plain}&user=${name}&password=secret`, key))
  vi.stubEnv('PGUSER', name)
  vi.stubEnv('PGPASSWORD', 'secret')
  try {
    await workAs(await migrate(plain, key))
  } finally {
    vi.unstubAllEnvs()
  }
})

test('a parameter that names the owner does not make the server work as the owner', async () => {
  const url = address((open) => open.searchParams.set('user', name))
  await workAs(await migrate(url))
})

test('a server that is connected as another role, or as one that bypasses row-level security, does not start', async () => {
  await expect(workAs(address(() => undefined))).rejects.toThrow(`works as the role ${name} instead of ${name}_server`)
  const application = await migrate(address(() => undefined))
  await workAs(application)
  await server.query(`alter role ${name}_server bypassrls`)
  await expect(workAs(application)).rejects.toThrow(`alter role ${name}_server nosuperuser nobypassrls`)
  await server.query(`alter role ${name}_server nobypassrls`)
})

test('a migration waits for a long transaction, says so, and lets the statements of others through', async () => {
  const database = await emptyDatabase()
  const clients = await Promise.all(
    ['owner', 'countersign-export', 'other'].map(async (application) => {
      const client = new Client({ connectionString: database.ownerUrl, application_name: application })
      await client.connect()
      return client
    }),
  )
  const [owner, long, other] = clients as [Client, Client, Client]
  try {
    await applyMigrations(owner, '0106_views_of_executions.sql')
    await long.query('begin')
    await long.query('select from realm_users')
    const waits: LockWait[] = []
    const migrating = applyMigrations(owner, '0107_last_sign_in.sql', (wait) => waits.push(wait))
    await until(async () => waits.length > 0 || undefined, 'the wait was reported')
    const { rows } = await long.query<{ pid: number }>('select pg_backend_pid() as pid')
    const locks = [{ table: 'realm_users', connection: 'countersign-export', pid: rows[0]?.pid }]
    expect(waits).toEqual([{ migration: '0107_last_sign_in.sql', locks }])
    expect((await other.query('select from realm_users')).rowCount).toBe(0)
    await long.query('commit')
    expect(await migrating).toMatchObject({ applied: 1 })
    expect((await other.query('select signed_in_at from realm_users')).rowCount).toBe(0)
  } finally {
    for (const client of clients) await client.end()
    await database.close()
  }
}, 60_000)

test('the last sign-ins of all tenants are filled in for an owner whom row-level security binds', async () => {
  const database = `${name}_older`
  const url = (role: (one: URL) => void) => {
    const one = new URL(process.env.TEST_DATABASE_URL ?? '')
    one.pathname = `/${database}`
    role(one)
    return one.href
  }
  await server.query(`alter role ${name} createrole`)
  await server.query(`create database ${database} owner ${name}`)
  const owner = new Client({
    connectionString: url((one) => Object.assign(one, { username: name, password: 'secret' })),
  })
  const superuser = new Client({ connectionString: url(() => undefined) })
  await Promise.all([owner.connect(), superuser.connect()])
  try {
    await applyMigrations(owner, '0106_views_of_executions.sql')
    await superuser.query(`set session_replication_role = replica`)
    const [tenant, signedIn, never] = ['1', '2', '3'].map((one) => `00000000-0000-7000-8000-00000000000${one}`)
    for (const id of [signedIn, never])
      await superuser.query(
        `insert into realm_users (tenant_id, id, username, display_name) values ($1, $2, $3, 'Maria')`,
        [tenant, id, `maria-${id}`],
      )
    await superuser.query(
      `insert into realm_artifacts (tenant_id, model, id, payload) values ($1, 'Session', 's', $2)`,
      [tenant, { accountId: signedIn, loginTs: 1_795_000_000 }],
    )
    await applyMigrations(owner)
    const { rows } = await superuser.query('select id, signed_in_at as at from realm_users order by id')
    expect(rows).toEqual([
      { id: signedIn, at: new Date(1_795_000_000_000) },
      { id: never, at: null },
    ])
    const { rows: forced } = await superuser.query(
      `select from pg_class where relname in ('realm_users', 'realm_artifacts') and relforcerowsecurity`,
    )
    expect(forced).toHaveLength(2)
  } finally {
    await Promise.all([owner.end(), superuser.end()])
    await server.query(`drop database ${database} with (force)`)
  }
}, 60_000)
