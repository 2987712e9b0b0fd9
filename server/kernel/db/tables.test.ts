import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '#server/kernel/ids.ts'
import { type TestDatabase, testDatabase } from '#server/testing/database.ts'

// Row-level security as described by the database itself: a new table without a rule is found immediately.

let database: TestDatabase
let owner: Client
let application: Client
beforeAll(async () => {
  database = await testDatabase()
  owner = new Client({ connectionString: database.ownerUrl })
  application = new Client({ connectionString: database.appUrl })
  await Promise.all([owner.connect(), application.connect()])
})
afterAll(async () => {
  await Promise.all([owner.end(), application.end()])
  await database.close()
})

const rows = async <T>(text: string): Promise<T[]> => (await owner.query(text)).rows as T[]
const names = async (text: string) => (await rows<{ name: string }>(text)).map((row) => row.name)

/** The directory of tenants and the lists of processes and migrations contain no data of a single tenant. */
const withoutTenant = ['listening_processes', 'schema_migrations', 'tenants']
/** Without row-level security. */
const ofInstallation = `'listening_processes', 'schema_migrations'`
/** Read before a tenant is known, and only with the digest of a credential: see the last tests. Table, column, setting. */
const keyedByDigest = [
  ['api_key_index', 'key_sha256', 'app.api_key_sha256'],
  ['connection_token_index', 'token_sha256', 'app.connection_token_sha256'],
] as const
const indexes = keyedByDigest.map(([table]) => `'${table}'`).join(', ')

test('every table has tenant_id, except the directory and the lists of processes and migrations', async () => {
  const tables = await names(`select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`)
  const tenantTables = await names(`select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'tenant_id' order by 1`)
  expect(tables.length).toBeGreaterThan(25)
  expect(tables.filter((table) => !tenantTables.includes(table))).toEqual(withoutTenant)
})

test('row-level security is enabled and forced, and each policy checks the tenant on reads and writes', async () => {
  expect(
    await names(`select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relname not in (${ofInstallation})
        and not (c.relrowsecurity and c.relforcerowsecurity)`),
  ).toEqual([])
  expect(
    await names(`select t.table_name as name from information_schema.columns t
      where t.table_schema = 'public' and t.column_name = 'tenant_id' and t.table_name not in (${indexes}) and not exists (
        select 1 from pg_policies p where p.tablename = t.table_name and p.cmd = 'ALL'
          and p.qual = '(tenant_id = app_tenant())' and p.with_check = '(tenant_id = app_tenant())')`),
  ).toEqual([])
  // Another permissive policy would open what the first one closes; the three below have a reason and tests of their own.
  expect(
    await names(`select tablename as name from pg_policies where schemaname = 'public' and tablename not in ('tenants', ${indexes})
      group by tablename having count(*) > 1 order by 1`),
  ).toEqual(['account_links', 'branding_images', 'members'])
})

test('three tables have an additional policy, only for reading: links of the tenant’s members, own memberships, an image by its digest', async () => {
  // The switcher lists the tenants of one person, whose token names the principal. Logos are public to anyone who has
  // the address.
  expect(
    await rows(`select tablename, policyname, cmd, qual, with_check from pg_policies where schemaname = 'public'
      and tablename in ('account_links', 'branding_images', 'members') and policyname <> 'tenant_isolation' order by 1`),
  ).toEqual([
    {
      tablename: 'account_links',
      policyname: 'links_of_members',
      cmd: 'SELECT',
      qual: expect.stringMatching(
        /^\(EXISTS \( SELECT 1\s+FROM members member\s+WHERE \(\(member\.tenant_id = app_tenant\(\)\) AND \(member\.issuer = account_links\.issuer\) AND \(member\.subject = account_links\.subject\)\)\)\)$/,
      ),
      with_check: null,
    },
    {
      tablename: 'branding_images',
      policyname: 'branding_by_digest',
      cmd: 'SELECT',
      qual: '(sha256 = app_branding_digest())',
      with_check: null,
    },
    {
      tablename: 'members',
      policyname: 'own_memberships',
      cmd: 'SELECT',
      qual: '((issuer = app_principal_issuer()) AND (subject = app_principal_subject()))',
      with_check: null,
    },
  ])
})

test('a principal reads only its own memberships in every tenant, and writes none of them', async () => {
  const [one, two] = ['01a1f934-0000-7000-8000-00000000000a', '01a1f934-0000-7000-8000-00000000000b']
  for (const [index, id] of [one, two].entries()) {
    await owner.query(
      `insert into tenants (id, slug, external_id, name, display_name, branding) values ($1, $2, $2, 'x', 'x', '{}')`,
      [id, `principal-${index}`],
    )
    for (const subject of ['anna', 'eve'])
      await owner.query(
        `insert into members (tenant_id, id, issuer, subject, kind, username, display_name, status)
         values ($1, gen_random_uuid(), '/realms/northwind', $2, 'person', $2, $2, 'active')`,
        [id, subject],
      )
    await owner.query(
      `insert into branding_images (tenant_id, sha256, media_type, bytes) values ($1, $2, 'image/png', '')`,
      [id, String(index).repeat(64)],
    )
  }
  const set = (name: string, value: string) => application.query('select set_config($1, $2, true)', [name, value])
  const seen = async () =>
    (
      await application.query<{ seen: string }>(`select tenant_id || ' ' || subject as seen from members order by 1`)
    ).rows.map((row) => row.seen)
  await application.query('begin')
  await set('app.principal_issuer', '/realms/northwind')
  expect(await seen()).toEqual([])
  await set('app.principal_subject', 'anna')
  expect(await seen()).toEqual([`${one} anna`, `${two} anna`])
  await set('app.tenant_id', one)
  expect(await seen()).toEqual([`${one} anna`, `${one} eve`, `${two} anna`])
  expect((await application.query('update members set roles = roles where tenant_id = $1', [two])).rowCount).toBe(0)
  await set('app.tenant_id', '')
  expect((await application.query('select 1 from branding_images')).rowCount).toBe(0)
  await set('app.branding_digest', '1'.repeat(64))
  expect((await application.query('select tenant_id from branding_images')).rows).toEqual([{ tenant_id: two }])
  expect((await application.query('delete from branding_images')).rowCount).toBe(0)
  await application.query('rollback')
})

test('every key starts with the tenant, so that no key reveals data of another tenant', async () => {
  expect(
    await names(`select i.relname as name from pg_index x
      join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
      join pg_namespace n on n.oid = t.relnamespace
      join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0]
      where n.nspname = 'public' and x.indisunique and a.attname <> 'tenant_id'
        and t.relname not in ('tenants', ${ofInstallation}, ${indexes})`),
  ).toEqual([])
  expect(
    await names(`select c.conname as name from pg_constraint c
      join pg_namespace n on n.oid = c.connamespace
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where n.nspname = 'public' and c.contype = 'f' and a.attname <> 'tenant_id'`),
  ).toEqual([])
})

test('the application’s role owns nothing, bypasses no policy and can’t truncate', async () => {
  const role = new URL(database.appUrl).username
  const [described] = await rows<{ rolsuper: boolean; rolbypassrls: boolean; rolcreaterole: boolean }>(
    `select rolsuper, rolbypassrls, rolcreaterole from pg_roles where rolname = '${role}'`,
  )
  expect(described).toEqual({ rolsuper: false, rolbypassrls: false, rolcreaterole: false })
  expect(await names(`select relname as name from pg_class where relowner = '${role}'::regrole`)).toEqual([])
  expect(
    await names(`select table_name as name from information_schema.role_table_grants
      where grantee = '${role}' and table_schema = 'public' and privilege_type = 'TRUNCATE'`),
  ).toEqual([])
})

test('without a tenant no rows are visible, and a row of another tenant can’t be written', async () => {
  const tenant = '01a1f934-0000-7000-8000-000000000001'
  const other = '01a1f934-0000-7000-8000-000000000002'
  for (const [id, slug] of [
    [tenant, 'catalog-one'],
    [other, 'catalog-two'],
  ])
    await owner.query(
      `insert into tenants (id, slug, external_id, name, display_name, branding) values ('${id}', '${slug}', '${slug}', 'x', 'x', '{}')`,
    )
  const insert = (id: string) =>
    application.query(
      `insert into approver_groups (tenant_id, id, name, display_name) values ('${id}', '${id}', 'g', 'g')`,
    )
  await expect(insert(tenant)).rejects.toThrow(/row-level security/)
  await application.query('begin')
  await application.query(`select set_config('app.tenant_id', '${tenant}', true)`)
  await insert(tenant)
  await application.query('savepoint s')
  await expect(insert(other)).rejects.toThrow(/row-level security/)
  await application.query('rollback to s')
  expect((await application.query('select 1 from approver_groups')).rowCount).toBe(1)
  await application.query('commit')
  expect((await application.query('select 1 from approver_groups')).rowCount).toBe(0)
  await expect(application.query('update audit_records set type = type')).rejects.toThrow(/permission denied/)
})

test.each(keyedByDigest)('%s reveals a row only to a query that names its digest', async (table, column, setting) => {
  const [tenant, other] = [newId(), newId()]
  for (const id of [tenant, other])
    await owner.query(
      `insert into tenants (id, slug, external_id, name, display_name, branding) values ('${id}', 'x${id}', '${id}', 'x', 'x', '{}')`,
    )
  const [digest, unknown] = ['ab'.repeat(32), 'cd'.repeat(32)]
  const insert = (id: string) =>
    application.query(`insert into ${table} (${column}, tenant_id) values ('\\x${digest}', '${id}')`)
  const seen = async () => (await application.query(`select tenant_id from ${table}`)).rows
  await expect(insert(tenant)).rejects.toThrow(/row-level security/)
  await application.query('begin')
  await application.query(`select set_config('app.tenant_id', '${tenant}', true)`)
  await insert(tenant)
  await application.query('savepoint s')
  await expect(insert(other)).rejects.toThrow(/row-level security/)
  await application.query('rollback to s')
  // Not even the tenant itself can list its credentials here or delete one.
  expect(await seen()).toEqual([])
  await application.query(`select set_config('${setting}', '${unknown}', true)`)
  expect(await seen()).toEqual([])
  await application.query(`select set_config('${setting}', '${digest}', true)`)
  expect(await seen()).toEqual([{ tenant_id: tenant }])
  for (const change of [`update ${table} set tenant_id = '${other}'`, `delete from ${table}`]) {
    await application.query('savepoint s')
    await expect(application.query(change)).rejects.toThrow(/permission denied/)
    await application.query('rollback to s')
  }
  await application.query('commit')
  expect(await seen()).toEqual([])
})

test('the generated types match the migrations (npm run db:types)', () => {
  const root = join(import.meta.dirname, '../../..')
  const codegen = join(root, 'node_modules/kysely-codegen/dist/cli/bin.js')
  const run = () =>
    execFileSync(process.execPath, [codegen, '--config-file', '.kysely-codegenrc.json', '--verify'], {
      cwd: root,
      env: { ...process.env, DATABASE_URL: database.ownerUrl },
      encoding: 'utf8',
      stdio: 'pipe',
    })
  expect(run).not.toThrow()
})
