import type { Client } from 'pg'
import { ConfigError } from '#server/kernel/config.ts'
import { databaseIdentity } from '#server/kernel/db/identity.ts'
import { connectOwner, unappliedMigrations } from '#server/kernel/db/migrate.ts'
import { rolesOf } from '#server/kernel/db/roles.ts'
import { type Finding, failed, ok, reasonOf, warning } from './findings.ts'

const oldest = 15
/** A process has two pools of 16, four for the queue, and some that listen. */
const perProcess = 40

/** Connects as the owner, and disconnects after `work`. The finding says why that was not possible, or what PostgreSQL refused. */
export async function withOwner(ownerUrl: string, work: (client: Client) => Promise<Finding[]>): Promise<Finding[]> {
  let client: Client
  try {
    client = await connectOwner(ownerUrl)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [
      failed('Database', reasonOf(error), 'Check DATABASE_URL, the network, and that PostgreSQL accepts this account.'),
    ]
  }
  try {
    return await work(client)
  } catch (error) {
    return [
      failed('Database', `The checks could not end: ${reasonOf(error)}.`, 'See the log of PostgreSQL; check again.'),
    ]
  } finally {
    await client.end()
  }
}

/** What tells this database apart from a copy of it. */
export async function identityOf(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ identity: string }>(databaseIdentity)
  return rows[0]?.identity
}

/** Version, encoding, rights of the owner, connections, migrations, and the isolation of tenants. Changes nothing. */
export async function checkDatabase(client: Client): Promise<Finding[]> {
  const one = async <T extends object>(text: string, values: unknown[] = []) =>
    (await client.query<T>(text, values)).rows[0]
  const server = await one<{ version: number; encoding: string; connections: number }>(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
      current_setting('max_connections')::int as connections`,
  )
  const { version = 0, encoding = '', connections = 0 } = server ?? {}
  const major = Math.floor(version / 10_000)
  const found = [
    major >= oldest
      ? ok('Database', `PostgreSQL ${major}.${version % 10_000}`)
      : failed('Database', `PostgreSQL ${major} is too old.`, `Use ${oldest} or newer.`),
  ]
  if (encoding !== 'UTF8')
    found.push(failed('Database', `The encoding is ${encoding}.`, 'Create the database with the encoding UTF8.'))
  if (connections < 2 * perProcess)
    found.push(
      warning(
        'Database',
        `max_connections is ${connections}; each process opens up to ${perProcess}.`,
        'Raise it to at least 40 for each process, and 20 more.',
      ),
    )
  return [...found, ...(await checkRights(client)), ...(await checkIsolation(client))]
}

async function checkRights(client: Client): Promise<Finding[]> {
  const { rows } = await client.query<{ owns: boolean; creates: boolean; powers: boolean; name: string }>(
    `select role.rolname as name, pg_has_role(role.oid, db.datdba, 'usage') as owns,
      role.rolcreaterole or role.rolsuper as creates, role.rolsuper or role.rolbypassrls as powers
    from pg_roles role, pg_database db where role.rolname = current_user and db.datname = current_database()`,
  )
  const [{ owns, creates, powers, name } = { owns: false, creates: false, powers: false, name: '' }] = rows
  const found: Finding[] = []
  if (!owns)
    found.push(failed('Database', `The role ${name} does not own the database.`, `alter database … owner to ${name}`))
  if (!creates) found.push(failed('Database', `The role ${name} lacks CREATEROLE.`, `alter role ${name} createrole`))
  if (powers)
    found.push(
      warning(
        'Database',
        `The role ${name} is a superuser or has BYPASSRLS, which the server does not need.`,
        `alter role ${name} nosuperuser nobypassrls`,
      ),
    )
  return found.length > 0 ? found : [ok('Database', `the role ${name} owns the database and may create roles`)]
}

/** Row-level security of every table of tenants, and the role that the server works as. */
async function checkIsolation(client: Client): Promise<Finding[]> {
  const missing = await unappliedMigrations(client)
  const { rows: tables } = await client.query<{ name: string; forced: boolean }>(
    `select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as forced
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by c.relname`,
  )
  if (tables.length === 0) return [ok('Database', `empty: the first start applies ${missing} migrations`)]
  const open = tables.filter(({ forced }) => !forced).map(({ name }) => name)
  const { server } = await rolesOf(client)
  const { rows: roles } = await client.query<{ powers: boolean }>(
    'select rolsuper or rolbypassrls or rolcreaterole as powers from pg_roles where rolname = $1',
    [server],
  )
  const [role] = roles
  return [
    missing === 0
      ? ok('Database', 'all migrations of this version have been applied')
      : warning(
          'Database',
          `${missing} migrations differ from those of this version.`,
          'Make a backup; the next start applies what is missing.',
        ),
    open.length === 0
      ? ok('Database', `${tables.length} tables of tenants force row-level security`)
      : failed(
          'Database',
          `Row-level security is not forced for ${open.join(', ')}.`,
          'Find out who turned it off: alter table … force row level security',
        ),
    role === undefined
      ? failed('Database', `The role ${server} does not exist.`, 'Start the server once; it creates the role.')
      : role.powers
        ? failed(
            'Database',
            `The role ${server} has rights that break the isolation of tenants.`,
            `alter role ${server} nosuperuser nobypassrls nocreaterole`,
          )
        : ok('Database', `the server works as ${server}, without special rights`),
  ]
}

/** Compares this machine's clock with the database's. */
export async function checkClock(client: Client): Promise<Finding[]> {
  const before = Date.now()
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now')
  const now = rows[0]?.now.getTime() ?? before
  const seconds = Math.round(Math.max(before - now, now - Date.now(), 0) / 1000)
  const text = `differs from the database’s by ${seconds} seconds`
  if (seconds >= 60) return [failed('Clock', text, 'Synchronize both clocks (NTP): no one could sign in.')]
  return [seconds >= 5 ? warning('Clock', text, 'Synchronize both clocks (NTP).') : ok('Clock', text)]
}
