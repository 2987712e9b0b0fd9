import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { PgBoss } from 'pg-boss'
import { ConfigError } from '#server/kernel/config.ts'
import { applicationName } from './application-name.ts'
import { makePartitions } from './partitions.ts'
import { applyGrants, ensureRoles, isolateJobs, retirePredecessor } from './roles.ts'

const folder = new URL('./migrations/', import.meta.url)

/** Every starting process waits for this lock while another one migrates. */
export const migrationLock = 7_310_452

/** Who has locks on tables of a migration that therefore waits, for the operator. */
export type LockWait = { migration: string; locks: { table: string; connection: string; pid: number }[] }
type OnWait = (wait: LockWait) => void

/** A lock that took too long, and a deadlock with a process that serves. */
const lockErrors: readonly unknown[] = ['55P03', '40P01']
/** Statements of processes that serve wait behind a migration that waits for a lock, so it gives them a turn. */
const turnMs = 1000
/** A wait is reported when it begins, and then about every minute. */
const reportedEvery = 20

/**
 * Migrates the database of `ownerUrl` to this version and returns the address for the application's role,
 * `<database>_server`, which may do what grants.ts lists. Its password is derived from the owner's, or from `masterKey`
 * if the address has none (a socket, a certificate), so that every node with the same settings can compute it and no one
 * else can. Throws if an applied migration has been edited. `onWait`: as for applyMigrations.
 */
export async function migrate(ownerUrl: string, masterKey?: Buffer, onWait?: OnWait): Promise<string> {
  const client = await connectOwner(ownerUrl)
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    const { known, applied } = await applyMigrations(client, undefined, onWait)
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
 * version knows all that had been applied. A migration waits without limit for those that use its tables, such as exports and backups, and
 * reports it to `onWait`.
 */
export async function applyMigrations(
  client: Client,
  last?: string,
  onWait: OnWait = () => undefined,
): Promise<{ applied: number; known: boolean }> {
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
    for (let attempt = 0; !(await apply(client, { name, text, sha256 })); attempt += 1) {
      if (attempt % reportedEvery === 0) onWait({ migration: name, locks: await locksOn(client, text) })
      await setTimeout(turnMs)
    }
    count += 1
  }
  return { applied: count, known: [...applied.keys()].every((name) => names.includes(name)) }
}

/** False if the tables were in use: nothing has changed then. */
async function apply(
  client: Client,
  { name, text, sha256 }: Record<'name' | 'text' | 'sha256', string>,
): Promise<boolean> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = '2s'`)
    await client.query(text)
  } catch (error) {
    if (!(error instanceof DatabaseError) || !lockErrors.includes(error.code)) throw error
    await client.query('rollback')
    return false
  }
  await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256])
  await client.query('commit')
  return true
}

/** The locks of others on tables that the migration names. */
async function locksOn(client: Client, text: string): Promise<LockWait['locks']> {
  const { rows } = await client.query<LockWait['locks'][number]>(
    `select distinct c.relname as table, a.application_name as connection, l.pid
     from pg_locks l join pg_class c on c.oid = l.relation join pg_stat_activity a on a.pid = l.pid
     where l.granted and l.pid <> pg_backend_pid() and c.relnamespace = 'public'::regnamespace and c.relname = any($1)
       and l.database = (select oid from pg_database where datname = current_database())
     order by 1, 3`,
    [[...new Set(text.match(/\w+/g))]],
  )
  return rows
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
  // A connection that breaks between two statements would end the process. The next statement is refused with the reason.
  client.on('error', () => undefined)
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
