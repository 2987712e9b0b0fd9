import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Client, DatabaseError } from 'pg'
import { PgBoss } from 'pg-boss'
import { ConfigError } from '#server/kernel/config.ts'
import { applicationName } from './application-name.ts'
import { makePartitions } from './partitions.ts'
import { applyGrants, ensureRoles, isolateJobs, retirePredecessor } from './roles.ts'

const folder = new URL('./migrations/', import.meta.url)

/** Every starting process waits for this lock while another one migrates. */
export const migrationLock = 7_310_452

/**
 * Migrates the database of `ownerUrl` to this version and returns the address for the application's role,
 * `<database>_server`, which may do what grants.ts lists. Its password is derived from the owner's, or from `masterKey`
 * if the address has none (a socket, a certificate), so that every node with the same settings can compute it and no one
 * else can. Throws if an applied migration has been edited.
 */
export async function migrate(ownerUrl: string, masterKey?: Buffer): Promise<string> {
  const client = await connectOwner(ownerUrl)
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    const { known, applied } = await applyMigrations(client)
    await makePartitions(client)
    await migrateQueue(ownerUrl)
    const url = await ensureRoles(client, ownerUrl, masterKey)
    // A newer version has been here: its list of grants counts.
    if (known) await applyGrants(client, { revoke: applied > 0 })
    await isolateJobs(client)
    await retirePredecessor(client)
    return url
  } catch (cause) {
    if (!(cause instanceof DatabaseError) || cause.code !== notPermitted) throw cause
    throw new ConfigError(
      `DATABASE_URL: its role can't set up the database (${cause.message}). The role must own the database and have CREATEROLE.`,
      { cause },
    )
  } finally {
    await client.end()
  }
}

/** Whether no version of this program has used the database. Throws ConfigError. */
export async function isUnused(ownerUrl: string): Promise<boolean> {
  const client = await connectOwner(ownerUrl)
  try {
    const { rows } = await client.query<{ unused: boolean }>(
      `select to_regclass('public.schema_migrations') is null as unused`,
    )
    return rows[0]?.unused === true
  } finally {
    await client.end()
  }
}

/**
 * Applies the migrations that the database lacks, in order, up to and including `last`. Returns how many, and whether this
 * version knows all that had been applied.
 */
export async function applyMigrations(client: Client, last?: string): Promise<{ applied: number; known: boolean }> {
  await client.query(`create table if not exists schema_migrations (
    name text primary key, sha256 text not null, applied_at timestamptz not null default now())`)
  const applied = new Map<string, string>()
  for (const row of (await client.query<{ name: string; sha256: string }>('select name, sha256 from schema_migrations'))
    .rows)
    applied.set(row.name, row.sha256)
  const names = await migrationNames()
  let count = 0
  for (const name of names) {
    if (last !== undefined && name > last) break
    const text = await readFile(new URL(name, folder), 'utf8')
    const sha256 = createHash('sha256').update(text).digest('hex')
    const before = applied.get(name)
    if (before === sha256) continue
    if (before !== undefined) throw new Error(`The migration ${name} was edited after it was applied.`)
    await client.query('begin')
    await client.query(text)
    await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256])
    await client.query('commit')
    count += 1
  }
  return { applied: count, known: [...applied.keys()].every((name) => names.includes(name)) }
}

/** How many migrations of this version the database lacks, and of others it has. */
export async function unappliedMigrations(client: Client): Promise<number> {
  const { rows } = await client.query<{ known: boolean }>(
    `select to_regclass('public.schema_migrations') is not null as known`,
  )
  const applied = rows[0]?.known
    ? (await client.query<{ name: string }>('select name from schema_migrations')).rows.map(({ name }) => name)
    : []
  const names = await migrationNames()
  return new Set([...applied, ...names]).size - applied.filter((name) => names.includes(name)).length
}

const migrationNames = async (): Promise<string[]> =>
  (await readdir(folder)).filter((entry) => entry.endsWith('.sql')).sort()

/** Connects as the owner of the database. The caller disconnects. Throws ConfigError. */
export async function connectOwner(ownerUrl: string): Promise<Client> {
  const client = new Client({
    connectionString: ownerUrl,
    connectionTimeoutMillis: 10_000,
    application_name: applicationName('maintenance'),
  })
  try {
    await client.connect()
    return client
  } catch (cause) {
    const { host, pathname } = new URL(ownerUrl)
    throw new ConfigError(`DATABASE_URL: the database ${host}${pathname} can't be used (${why(cause)})`, { cause })
  }
}

/** Only the first reason: one name may resolve to several addresses, each of which failed. */
function why(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error ? first.message : String(first)
}

/** SQLSTATE insufficient_privilege */
const notPermitted = '42501'

/** The queue's library creates and migrates its own tables (schema pgboss), as the owner. */
export async function migrateQueue(ownerUrl: string): Promise<void> {
  const boss = new PgBoss({ connectionString: ownerUrl, supervise: false, schedule: false, max: 2 })
  let failure: unknown
  boss.on('error', (error) => {
    failure = error
  })
  await boss.start()
  await boss.stop({ graceful: false })
  if (failure !== undefined) throw failure
}
