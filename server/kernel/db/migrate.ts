import { createHash, createHmac } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Client, DatabaseError } from 'pg'
import { PgBoss } from 'pg-boss'
import { ConfigError } from '#server/kernel/config.ts'
import { makePartitions } from './partitions.ts'

const folder = new URL('./migrations/', import.meta.url)

/** Every starting process waits for this lock while another one migrates. */
export const migrationLock = 7_310_452

/**
 * Migrates the database of `ownerUrl` to this version and returns the address for the application's role,
 * `<database>_app`, which owns nothing and is subject to row-level security. Its password is derived from the owner's,
 * or from `masterKey` if the address has none (a socket, a certificate), so that every node with the same settings can
 * compute it and no one else can. Throws if an applied migration has been edited.
 */
export async function migrate(ownerUrl: string, masterKey?: Buffer): Promise<string> {
  const client = new Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 })
  try {
    await client.connect()
  } catch (cause) {
    const { host, pathname } = new URL(ownerUrl)
    throw new ConfigError(`DATABASE_URL: the database ${host}${pathname} can't be used (${why(cause)})`, { cause })
  }
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await applyMigrations(client)
    await makePartitions(client)
    await migrateQueue(ownerUrl)
    return await grantToApplication(client, ownerUrl, masterKey)
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

/** Applies the migrations that the database lacks, in order, up to and including `last`. */
export async function applyMigrations(client: Client, last?: string): Promise<void> {
  await client.query(`create table if not exists schema_migrations (
    name text primary key, sha256 text not null, applied_at timestamptz not null default now())`)
  const applied = new Map<string, string>()
  for (const row of (
    await client.query<{ name: string; sha256: string }>('select name, sha256 from schema_migrations')
  ).rows)
    applied.set(row.name, row.sha256)
  for (const name of (await readdir(folder)).filter((entry) => entry.endsWith('.sql')).sort()) {
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
async function migrateQueue(ownerUrl: string): Promise<void> {
  const boss = new PgBoss({ connectionString: ownerUrl, supervise: false, schedule: false, max: 2 })
  let failure: unknown
  boss.on('error', (error) => {
    failure = error
  })
  await boss.start()
  await boss.stop({ graceful: false })
  if (failure !== undefined) throw failure
}

async function grantToApplication(client: Client, ownerUrl: string, masterKey: Buffer | undefined): Promise<string> {
  const { rows } = await client.query<{ database: string }>('select current_database() as database')
  const role = `${rows[0]?.database ?? 'countersign'}_app`
  const url = new URL(ownerUrl)
  const secret = url.password === '' ? masterKey : decodeURIComponent(url.password)
  if (secret === undefined)
    throw new ConfigError(
      'DATABASE_URL does not contain a password, so deriving the password of the application’s role needs the master key.',
    )
  const password = createHmac('sha256', secret).update(`application role ${role}`).digest('hex')
  const name = client.escapeIdentifier(role)
  const known = await client.query('select 1 from pg_roles where rolname = $1', [role])
  if (known.rowCount === 0) await client.query(`create role ${name} login nosuperuser nobypassrls`)
  await client.query(`alter role ${name} password ${client.escapeLiteral(password)}`)
  // Set for the role, not the connection: a pooler in transaction mode does not pass on startup parameters.
  await client.query(`alter role ${name} set statement_timeout = '60s'`)
  await client.query(`alter role ${name} set idle_in_transaction_session_timeout = '60s'`)
  await client.query(`grant usage on schema public, pgboss to ${name}`)
  await client.query(`grant select, insert, update, delete on all tables in schema public to ${name}`)
  await client.query(`grant select, insert, update, delete on all tables in schema pgboss to ${name}`)
  await client.query(`grant execute on all functions in schema pgboss to ${name}`)
  await client.query(`grant usage on all sequences in schema pgboss to ${name}`)
  // The log, the journal and the votes are append-only for the application.
  await client.query(
    `revoke update, delete on audit_records, audit_checkpoints, audit_seals, audit_seal_checkpoints, audit_cosignatures, execution_events, approval_votes, policy_decisions from ${name}`,
  )
  // But content can be removed: by an erasure, and when the tenant's retention has passed.
  await client.query(`grant update (data) on execution_events to ${name}`)
  await client.query(`grant update (request) on policy_decisions to ${name}`)
  await client.query(`revoke all on schema_migrations from ${name}`)
  await client.query(
    `revoke delete on tenants, members, approvals, executions, secrets, api_keys, tenant_keys from ${name}`,
  )
  url.username = role
  url.password = password
  return url.href
}
