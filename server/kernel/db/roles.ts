import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { Client } from 'pg'
import { ConfigError } from '#server/kernel/config.ts'
import type { Transaction } from './closing.ts'
import { keeperFunctions, keeperGrants, serverGrants } from './grants.ts'

/** Roles of one installation: roles belong to the whole PostgreSQL server, so they carry the name of the database. */
export type Roles = {
  /** Logs in for the server's processes. It owns nothing and is subject to row-level security. */
  server: string
  /** Owns the functions that write what the server's role may not. It can't log in. */
  keeper: string
  /** Logged in for the processes of versions before migration 0048. */
  predecessor: string
}

export async function rolesOf(client: Client): Promise<Roles> {
  const { rows } = await client.query<{ database: string }>('select current_database() as database')
  const database = rows[0]?.database ?? 'countersign'
  return { server: `${database}_server`, keeper: `${database}_keeper`, predecessor: `${database}_app` }
}

/**
 * Creates the roles, or gives them the settings of this version. The password is derived from the owner's, or from
 * `masterKey` if the owner's address has none. Returns the address of the server's role.
 */
export async function ensureRoles(client: Client, ownerUrl: string, masterKey: Buffer | undefined): Promise<string> {
  const { server, keeper } = await rolesOf(client)
  const url = new URL(ownerUrl)
  const secret = url.password === '' ? masterKey : decodeURIComponent(url.password)
  if (secret === undefined)
    throw new ConfigError(
      'DATABASE_URL does not contain a password, so deriving the password of the application’s role needs the master key.',
    )
  const password = createHmac('sha256', secret).update(`application role ${server}`).digest('hex')
  const [name, owning] = [client.escapeIdentifier(server), client.escapeIdentifier(keeper)]
  if (!(await exists(client, server))) await client.query(`create role ${name} login nosuperuser nobypassrls`)
  if (!(await exists(client, keeper))) await client.query(`create role ${owning} nologin nosuperuser nobypassrls`)
  await client.query(`alter role ${name} password ${client.escapeLiteral(password)}`)
  // Set for the role, not the connection: a pooler in transaction mode does not pass on startup parameters.
  await client.query(`alter role ${name} set statement_timeout = '60s'`)
  await client.query(`alter role ${name} set idle_in_transaction_session_timeout = '60s'`)
  return addressFor(url, server, password)
}

/** The address for another role. Throws ConfigError if the driver would connect as someone else. */
function addressFor(address: URL, role: string, password: string): string {
  const url = new URL(address)
  url.username = role
  url.password = password
  // A URL without a host can't contain a user, and the driver prefers parameters to the rest, as libpq does.
  if (url.host === '' || url.searchParams.has('user')) url.searchParams.set('user', role)
  if (url.host === '' || url.searchParams.has('password')) url.searchParams.set('password', password)
  const driver = new Client({ connectionString: url.href })
  if (driver.user !== role || driver.password !== password)
    throw new ConfigError(
      `DATABASE_URL: the server's role ${role} can't be put into an address of this form. Use postgres://user:password@host:5432/database, or postgres:///database?host=/folder&user=…&password=… for a socket.`,
    )
  return url.href
}

/**
 * Throws ConfigError if these connections are not bound by row-level security as the server's role is, such as behind a pooler that
 * connects as the owner.
 */
export async function requireServerRole(tx: Transaction): Promise<void> {
  const { rows } = await sql<{ name: string; expected: string; bound: boolean }>`
    select rolname as name, current_database() || '_server' as expected, not rolsuper and not rolbypassrls as bound
    from pg_roles where rolname = current_user`.execute(tx)
  const [{ name, expected, bound } = { name: 'unknown', expected: '', bound: false }] = rows
  if (name !== expected)
    throw new ConfigError(
      `DATABASE_URL: the server works as the role ${name} instead of ${expected}, which would not isolate tenants. Check the address and the pooler.`,
    )
  if (!bound)
    throw new ConfigError(
      `DATABASE_URL: the role ${name} bypasses row-level security, which isolates tenants. Run: alter role ${name} nosuperuser nobypassrls`,
    )
}

/**
 * Gives the roles what grants.ts lists. `revoke`: also takes away what it does not list, which a process of the version
 * before may still need; grants.ts says how a grant is removed.
 */
export async function applyGrants(client: Client, { revoke }: { revoke: boolean }): Promise<void> {
  const { server, keeper } = await rolesOf(client)
  const name = client.escapeIdentifier(server)
  await client.query(`grant usage on schema public, pgboss to ${name}`)
  await client.query(`grant usage on schema public to ${client.escapeIdentifier(keeper)}`)
  await grantTables(client, server, serverGrants, revoke)
  await grantTables(client, keeper, keeperGrants, revoke)
  await giveToKeeper(client, keeper, server)
  // The queue's library has tables and functions of its own, which contain ids and no data of a tenant.
  await client.query(`grant select, insert, update, delete on all tables in schema pgboss to ${name}`)
  await client.query(`grant execute on all functions in schema pgboss to ${name}`)
  await client.query(`grant usage on all sequences in schema pgboss to ${name}`)
}

/** One privilege of a role: `select`, or `update (status)`. */
export type Privilege = { table: string; privilege: string }

/** Splits an entry of grants.ts, such as `select, update (a, b)`, into privileges. */
export function privilegesIn(table: string, grant: string): Privilege[] {
  return [...grant.matchAll(/(\w+)(?: \(([^)]*)\))?/g)].flatMap(([, verb = '', columns]) =>
    columns === undefined
      ? [{ table, privilege: verb }]
      : columns.split(', ').map((column) => ({ table, privilege: `${verb} (${column})` })),
  )
}

/** The privileges that the catalog lists for a role on tables of the schema public; PUBLIC's have the role ''. */
export async function readPrivileges(client: Client, role: string): Promise<Privilege[]> {
  const { rows } = await client.query<Privilege>(
    `select c.relname as table, lower(a.privilege_type) as privilege
     from pg_class c, aclexplode(c.relacl) a
     where c.relnamespace = 'public'::regnamespace and a.grantee = coalesce(to_regrole(quote_ident($1)), 0)
     union all
     select c.relname, lower(a.privilege_type) || ' (' || t.attname || ')'
     from pg_class c join pg_attribute t on t.attrelid = c.oid, aclexplode(t.attacl) a
     where c.relnamespace = 'public'::regnamespace and a.grantee = coalesce(to_regrole(quote_ident($1)), 0)
     order by 1, 2`,
    [role],
  )
  return rows
}

async function grantTables(
  client: Client,
  role: string,
  grants: Readonly<Record<string, string>>,
  revoke: boolean,
): Promise<void> {
  const key = ({ table, privilege }: Privilege) => `${privilege} on ${client.escapeIdentifier(table)}`
  const { rows: tables } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  )
  const known = new Set(tables.map(({ name }) => name))
  const present = new Set((await readPrivileges(client, role)).map(key))
  const wanted = new Set(
    Object.entries(grants)
      .filter(([table]) => known.has(table))
      .flatMap(([table, grant]) => privilegesIn(table, grant).map(key)),
  )
  const name = client.escapeIdentifier(role)
  const changes = [
    ...[...wanted].filter((one) => !present.has(one)).map((one) => `grant ${one} to ${name}`),
    ...(revoke ? [...present].filter((one) => !wanted.has(one)).map((one) => `revoke ${one} from ${name}`) : []),
  ]
  if (changes.length > 0) await client.query(changes.join(';\n'))
}

/** A new owner must have the right to create in the schema, so the role has it while it becomes the owner. */
async function giveToKeeper(client: Client, keeper: string, server: string): Promise<void> {
  const { rows } = await client.query<{ signature: string; kept: boolean }>(
    `select p.oid::regprocedure::text as signature, p.proowner = to_regrole(quote_ident($2)) as kept
     from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proname = any($1)`,
    [keeperFunctions, keeper],
  )
  const owner = client.escapeIdentifier(keeper)
  const moved = rows.filter(({ kept }) => !kept)
  if (moved.length > 0) {
    const { rowCount: superuser } = await client.query(
      'select 1 from pg_roles where rolname = current_user and rolsuper',
    )
    // Stays: a later migration replaces functions that the keeper owns.
    if (superuser === 0) await client.query(`grant ${owner} to current_user`)
    await client.query('begin')
    await client.query(`grant create on schema public to ${owner}`)
    for (const { signature } of moved) await client.query(`alter function ${signature} owner to ${owner}`)
    await client.query(`revoke create on schema public from ${owner}`)
    await client.query('commit')
  }
  for (const { signature } of rows) {
    await client.query(`revoke execute on function ${signature} from public`)
    await client.query(`grant execute on function ${signature} to ${client.escapeIdentifier(server)}`)
  }
}

/**
 * Takes everything from the role of versions before migration 0048 once no process uses it. A process of such a version
 * grants its role what it needs each time it starts, so it can still be started again.
 */
export async function retirePredecessor(client: Client): Promise<boolean> {
  const { predecessor } = await rolesOf(client)
  if (!(await exists(client, predecessor))) return false
  const { rowCount: sessions } = await client.query(
    'select 1 from pg_stat_activity where datname = current_database() and usename = $1 limit 1',
    [predecessor],
  )
  if (sessions !== 0) return false
  const name = client.escapeIdentifier(predecessor)
  await client.query(`alter role ${name} password null`)
  for (const schema of ['public', 'pgboss']) {
    await client.query(`revoke all on all tables in schema ${schema} from ${name}`)
    await client.query(`revoke all on all functions in schema ${schema} from ${name}`)
    await client.query(`revoke all on all sequences in schema ${schema} from ${name}`)
    await client.query(`revoke all on schema ${schema} from ${name}`)
  }
  return true
}

const exists = async (client: Client, role: string): Promise<boolean> =>
  (await client.query('select 1 from pg_roles where rolname = $1', [role])).rowCount !== 0

/**
 * Row-level security on the queue's jobs: a transaction that is bound to a tenant reads and writes that tenant's jobs.
 * The queue itself, whose workers serve all tenants, is not bound to one. The library creates the tables, so a migration
 * can't.
 */
export async function isolateJobs(client: Client): Promise<void> {
  for (const table of ['job', 'job_common']) {
    const { rowCount: isolated } = await client.query(
      `select 1 from pg_policies where schemaname = 'pgboss' and tablename = $1 and policyname = 'tenant_isolation'`,
      [table],
    )
    if (isolated !== 0) continue
    await client.query('begin')
    await client.query(`create policy tenant_isolation on pgboss.${table}
      using (public.app_tenant() is null or (data ->> 'tenantId')::uuid = public.app_tenant())`)
    await client.query(`alter table pgboss.${table} enable row level security`)
    await client.query('commit')
  }
}
