// Longer than other files: every rule compares the same statements, list of grants and catalog.
import { randomUUID } from 'node:crypto'
import { Client, DatabaseError } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  callerFunctions,
  keeperFunctions,
  keeperGrants,
  pastFunctions,
  serverGrants,
  stillUsed,
} from '#server/kernel/db/grants.ts'
import { privilegesIn, type Roles, readPrivileges, rolesOf } from '#server/kernel/db/roles.ts'
import { createLog } from '#server/kernel/log.ts'
import { openQueue } from '#server/kernel/queue.ts'
import { type TestDatabase, testDatabase } from '#server/testing/database.ts'
import { deriveNeeds, type Needs, type StoredFunction } from './derive.ts'

// The database roles may do what the code does, and nothing else. The list (server/kernel/db/grants.ts), the statements in
// the code and the catalog of the database are three descriptions of the same rights; each is compared with the others.

let database: TestDatabase
let owner: Client
let application: Client
let roles: Roles
let functions: StoredFunction[]
let columns: Map<string, string[]>
const [tenant, other] = [randomUUID(), randomUUID()]
beforeAll(async () => {
  database = await testDatabase()
  owner = new Client({ connectionString: database.ownerUrl })
  application = new Client({ connectionString: database.appUrl })
  await Promise.all([owner.connect(), application.connect()])
  const server = new URL(database.appUrl).username
  // The database is a copy: its roles are those of the template.
  roles = { ...(await rolesOf(owner)), server, keeper: server.replace(/_server$/, '_keeper') }
  functions = (
    await owner.query<StoredFunction>(
      `select proname as name, prosrc as body, prosecdef as definer from pg_proc
       where pronamespace = 'public'::regnamespace order by 1`,
    )
  ).rows
  const { rows } = await owner.query<{ table: string; columns: string[] }>(
    `select c.relname as table, array_agg(a.attname::text order by attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and attnum > 0 and not attisdropped
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'schema_migrations'
     group by 1 order by 1`,
  )
  columns = new Map(rows.map((row) => [row.table, row.columns]))
  for (const id of [tenant, other])
    await owner.query(
      `insert into tenants (id, slug, external_id, name, display_name, branding) values ($1, $2, $2, 'x', 'x', '{}')`,
      [id, `t${id}`],
    )
})
afterAll(async () => {
  await Promise.all([owner.end(), application.end()])
  await database.close()
})

/** What to write in grants.ts so that a list says what is needed. */
const changes = (list: string, needed: Needs, listed: Readonly<Record<string, string>>): string[] =>
  [...new Set([...Object.keys(needed), ...Object.keys(listed)])].sort().flatMap((table) => {
    const [wanted, present] = [needed[table], listed[table]]
    if (wanted === present) return []
    if (wanted === undefined) return [`${list}: remove the entry ${table}: no statement uses the table`]
    return [`${list}: write ${table}: '${wanted}',${present === undefined ? '' : ` instead of '${present}'`}`]
  })

/** The tables that the policies on these tables read. */
async function readByPolicies(tables: readonly string[]): Promise<string[]> {
  const { rows } = await owner.query<{ qual: string }>(
    `select qual from pg_policies where schemaname = 'public' and tablename = any($1) and cmd in ('SELECT', 'ALL')`,
    [tables],
  )
  return rows.flatMap(({ qual }) => [...qual.matchAll(/FROM (\w+)/g)].map(([, table = '']) => table))
}

describe('the list of grants', () => {
  test('has exactly what the statements of the code need; the message states what to write in server/kernel/db/grants.ts', async () => {
    const needs = deriveNeeds([...columns.keys()], functions, pastFunctions)
    expect(Object.keys(needs.server).length).toBeGreaterThan(60)
    for (const table of await readByPolicies(Object.keys(needs.keeper))) needs.keeper[table] ??= 'select'
    expect([
      ...changes('serverGrants', needs.server, serverGrants),
      ...changes('keeperGrants', needs.keeper, keeperGrants),
    ]).toEqual([])
    for (const [table, grant] of Object.entries(stillUsed))
      expect(serverGrants[table] ?? '', `${table} of an earlier version`).toContain(grant)
  })

  test('equals the rights in the catalog, by table, verb and column', async () => {
    const listed = (grants: Readonly<Record<string, string>>) =>
      Object.entries(grants)
        .flatMap(([table, grant]) => privilegesIn(table, grant))
        .map(({ table, privilege }) => `${table}: ${privilege}`)
        .sort()
    const stored = async (role: string) =>
      (await readPrivileges(owner, role)).map(({ table, privilege }) => `${table}: ${privilege}`).sort()
    expect(await stored(roles.server)).toEqual(listed(serverGrants))
    expect(await stored(roles.keeper)).toEqual(listed(keeperGrants))
    expect(await stored('')).toEqual([])
  })

  test('lets the server’s role neither update nor delete what is sealed', () => {
    const sealed = [
      'approval_votes',
      'audit_checkpoints',
      'audit_cosignatures',
      'audit_days',
      'audit_records',
      'audit_seal_checkpoints',
      'audit_seals',
      'audit_tiles',
      'legal_holds',
    ]
    expect(Object.fromEntries(sealed.map((table) => [table, serverGrants[table]]))).toEqual({
      ...Object.fromEntries(sealed.map((table) => [table, 'select, insert'])),
      audit_days: 'select',
      audit_records: 'select',
      audit_tiles: 'select',
    })
  })
})

describe('as the server’s role, over SQL', () => {
  /** The SQLSTATE with which PostgreSQL refuses the statement; undefined if it would carry it out. */
  const refusal = async (text: string): Promise<string | undefined> => {
    try {
      await application.query(text)
      return undefined
    } catch (error) {
      if (error instanceof DatabaseError) return error.code
      throw error
    }
  }

  test('PostgreSQL refuses each statement on each table and column that is not listed, and no other one', async () => {
    const wrong: string[] = []
    let refused = 0
    // Explained, a statement is checked and not carried out.
    for (const [table, names] of columns) {
      const granted = new Set(privilegesIn(table, serverGrants[table] ?? '').map(({ privilege }) => privilege))
      const statements = [
        ['select', `explain select from ${table}`],
        ['insert', `explain insert into ${table} default values`],
        ['delete', `explain delete from ${table}`],
        ...names.map((name) => [`update (${name})`, `explain update ${table} set ${name} = null`]),
      ]
      for (const [privilege = '', text = ''] of statements) {
        const code = await refusal(text)
        if (code === '42501') refused += 1
        // A generated column can't be written by anyone.
        if (code === '428C9') continue
        if ((code === '42501') === granted.has(privilege)) wrong.push(`${table}: ${privilege} → ${code}`)
      }
      if ((await refusal(`truncate ${table}`)) !== '42501') wrong.push(`${table}: truncate`)
    }
    expect(wrong).toEqual([])
    expect(refused).toBeGreaterThan(300)
  })

  test('neither the schema nor the list of migrations is open', async () => {
    for (const text of [
      'create table public.mine (a int)',
      'create function public.mine() returns int language sql as $$ select 1 $$',
      'alter table audit_tiles disable row level security',
      'drop table audit_tiles',
      'select from schema_migrations',
      'select from partitions.spans_default',
      `set role ${JSON.stringify(roles.keeper)}`,
    ])
      expect([text, await refusal(text)]).toEqual([text, '42501'])
  })
})

describe('functions', () => {
  test('that run with their owner’s rights are listed, fix search_path, and belong to the keeper', async () => {
    const { rows } = await owner.query(
      `select proname as name, pg_get_userbyid(proowner) as owner, proconfig as config,
         has_function_privilege($1, p.oid, 'execute') as server,
         exists (select from aclexplode(proacl) where grantee = 0) as everyone
       from pg_proc p where prosecdef and pronamespace = 'public'::regnamespace order by 1`,
      [roles.server],
    )
    expect(rows).toEqual(
      [...keeperFunctions].sort().map((name) => ({
        name,
        owner: roles.keeper,
        config: ['search_path=pg_catalog, pg_temp'],
        server: true,
        everyone: false,
      })),
    )
    // A function may have several forms, of which old ones stay for processes of the version before.
    const callers = new Set(functions.filter(({ definer }) => !definer).map(({ name }) => name))
    expect([...callers]).toEqual([...callerFunctions].sort())
  })

  test('belong to a role that can’t log in, is subject to row-level security and is a member of nothing', async () => {
    const { rows } = await owner.query(
      `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin,
         (select count(*)::int from pg_auth_members where member = r.oid) as memberships,
         (select count(*)::int from pg_class where relowner = r.oid) as relations,
         has_schema_privilege(rolname, 'public', 'create') as creates
       from pg_roles r where rolname = $1`,
      [roles.keeper],
    )
    expect(rows).toEqual([
      {
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolcanlogin: false,
        memberships: 0,
        relations: 0,
        creates: false,
      },
    ])
  })

  const inTenant = async <T>(id: string, work: () => Promise<T>): Promise<T> => {
    await application.query('begin')
    try {
      await application.query(`set local app.tenant_id = '${id}'`)
      return await work()
    } finally {
      await application.query('rollback')
    }
  }
  const one = async (text: string, values: unknown[] = []) => (await application.query(text, values)).rows[0]

  test('a tile grows and keeps its hashes', async () => {
    const [first, second, foreign] = ['01', '02', '03'].map((byte) => Buffer.from(byte.repeat(32), 'hex'))
    const grow = (hashes: (Buffer | undefined)[]) =>
      one('select grow_tiles($1, $2, $3, $4, $5) as grown', [
        tenant,
        '2026-01-01',
        [0],
        [0],
        [Buffer.concat(hashes.filter((hash) => hash !== undefined))],
      ])
    await inTenant(tenant, async () => {
      expect(await grow([first])).toEqual({ grown: true })
      expect(await grow([first, second])).toEqual({ grown: true })
      expect(await grow([first])).toEqual({ grown: true })
      expect(await grow([first, foreign, second])).toEqual({ grown: false })
      expect(await one('select hashes from audit_tiles')).toEqual({
        hashes: Buffer.concat([first ?? '', second ?? ''] as Buffer[]),
      })
    })
  })

  test('a hold is released once, and a closed day stays closed', async () => {
    const [hold, member] = [randomUUID(), randomUUID()]
    await owner.query(
      `insert into members (tenant_id, id, issuer, subject, kind, username, display_name, status)
       values ($1, $2, '/realms/x', 'vera', 'person', 'vera', 'vera', 'active')`,
      [tenant, member],
    )
    await owner.query(
      `insert into legal_holds (tenant_id, id, trace_id, reason, created_by) values ($1, $2, 't', 'r', $3)`,
      [tenant, hold, member],
    )
    await owner.query(
      `insert into audit_days (tenant_id, date, size) values ($1, '2026-01-01', 0), ($1, '9999-01-01', 0)`,
      [tenant],
    )
    await inTenant(tenant, async () => {
      const release = (revision: number) =>
        one('select release_hold($1, $2, $3, $4, $5) as revision', [tenant, hold, revision, member, 'why'])
      expect(await release(2)).toEqual({ revision: null })
      expect(await release(1)).toEqual({ revision: 2 })
      expect(await release(2)).toEqual({ revision: null })
      const close = async (date: string) => {
        await one('select close_day($1, $2)', [tenant, date])
        return (await one('select sealed_at from audit_days where date = $1', [date])).sealed_at
      }
      const closed = await close('2026-01-01')
      expect(closed).toBeInstanceOf(Date)
      expect(await close('2026-01-01')).toEqual(closed)
      expect(await close('9999-01-01')).toBeNull()
    })
  })

  test('reach only the tenant of the transaction', async () => {
    for (const [text, values] of [
      [
        'select append_records($1, $2, $3, $3, $3, $3, $4, $5, $5)',
        [other, [randomUUID()], ['x'], [Buffer.alloc(32)], []],
      ],
      [
        'select append_keyed_records($1, now(), $2, $3, $3, $4, $4, $3, $4, $5, $5)',
        [other, [randomUUID()], ['{}'], [Buffer.alloc(32)], []],
      ],
      ['select open_empty_days_from($1, current_date - 1)', [other]],
      ['select grow_tiles($1, $2, $3, $3, $4)', [other, '2026-01-01', [0], [Buffer.alloc(32)]]],
    ] as [string, unknown[]][])
      await expect(inTenant(tenant, () => one(text, values))).rejects.toThrow(/row-level security/)
    expect(await inTenant(other, () => one('select * from lock_day($1, $2)', [tenant, '2026-01-01']))).toBeUndefined()
  })

  test('that run with the rights of their caller reach only the tenant of the transaction, too', async () => {
    const trace = 'a'.repeat(32)
    const bytes = [Buffer.alloc(32)]
    for (const [text, values] of [
      ['select start_trace($1, $2, null, null, $2, now())', [other, trace]],
      [`select keep_step($1, $2, 'refund', '{"status": "calling"}')`, [other, randomUUID()]],
      [`select record_decision($1, jsonb_build_object('id', $2::text), null, false, null)`, [other, randomUUID()]],
      [
        `select bind_and_append($1, $2, $2, '{1}', '{1}', $3, $4, $3, now(), $4, $2, $2, $3, $3, $2, $3, '{}', '{}')`,
        [other, ['x'], bytes, [randomUUID()]],
      ],
    ] as [string, unknown[]][])
      await expect(
        inTenant(tenant, () => one(text, values)),
        text,
      ).rejects.toThrow(/row-level security/)
    const text = 'insert into traces (tenant_id, trace_id, name, started_at) values ($1, $2, $2, now())'
    await owner.query(text, [other, trace])
    const ends = (id: string) => inTenant(id, () => one(`select * from end_spans($1, $2, '[]', now())`, [other, trace]))
    expect(await ends(tenant)).toEqual({ known: false, changed: false })
    expect(await ends(other)).toEqual({ known: true, changed: true })
  })

  test('append no record whose time is not that of the database, and close a day once, with its mac', async () => {
    const append = (moment: string) =>
      inTenant(tenant, () =>
        one(`select append_keyed_records($1, ${moment}, $2, $3, $4, $5, $5, $3, $5, $6, $6)`, [
          tenant,
          [randomUUID()],
          ['x'],
          ['{}'],
          [Buffer.alloc(32)],
          [],
        ]),
      )
    for (const moment of [`now() + interval '1 hour'`, `now() - interval '1 hour'`, `'infinity'`])
      await expect(append(moment), moment).rejects.toThrow(/differs too much from the clock/)
    await owner.query(`insert into audit_days (tenant_id, date, size) values ($1, '2026-02-01', 0)`, [tenant])
    await inTenant(tenant, async () => {
      const close = async (date: string, mac: string) => {
        await one('select close_keyed_day($1, $2, now(), $3)', [tenant, date, Buffer.from(mac)])
        return (await one('select mac from audit_days where date = $1', [date])).mac
      }
      expect(await close('2026-02-01', 'first')).toEqual(Buffer.from('first'))
      expect(await close('2026-02-01', 'second')).toEqual(Buffer.from('first'))
      expect(await close('9999-01-01', 'first')).toBeNull()
    })
  })
})

describe('isolation', () => {
  const namesSeen = async (id: string | undefined, text: string) => {
    await application.query('begin')
    try {
      if (id !== undefined) await application.query(`set local app.tenant_id = '${id}'`)
      return (await application.query<{ id: string }>(text)).rows.map((row) => row.id).sort()
    } finally {
      await application.query('rollback')
    }
  }

  test('a transaction of a tenant sees that tenant in the directory, and one without a tenant sees all', async () => {
    const text = 'select id from tenants'
    expect(await namesSeen(tenant, text)).toEqual([tenant])
    expect(await namesSeen(other, text)).toEqual([other])
    expect(await namesSeen(undefined, text)).toEqual([tenant, other].sort())
  })

  test('a transaction of a tenant sees and writes that tenant’s jobs, and the queue itself sees all', async () => {
    const queue = await openQueue(database.appUrl, createLog('silent'), { on: () => () => undefined })
    await queue.work([{ queue: 'isolated', concurrency: 0, run: async () => undefined }])
    await queue.close()
    for (const id of [tenant, other])
      await owner.query(
        `insert into pgboss.job (name, data) values ('isolated', jsonb_build_object('tenantId', $1::text, 'id', 'x'))`,
        [id],
      )
    for (const table of ['job', 'job_common']) {
      const text = `select data ->> 'tenantId' as id from pgboss.${table} where name = 'isolated'`
      expect(await namesSeen(tenant, text)).toEqual([tenant])
      expect(await namesSeen(undefined, text)).toEqual([tenant, other].sort())
    }
    const foreign = `insert into pgboss.job (name, data) values ('isolated', '{"tenantId": "${other}", "id": "x"}')`
    await expect(namesSeen(tenant, foreign)).rejects.toThrow(/row-level security/)
  })
})
