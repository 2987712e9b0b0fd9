import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contentTables } from '#server/kernel/content/tables.ts'
import { callerFunctions, serverGrants } from '#server/kernel/db/grants.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { tableOwners } from '#server/testing/table-owners.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { adoptTenant } from './adopt.ts'
import { requireBound, requireBoundBelow, requireBoundTogether } from './check.ts'
import { recheckRows } from './recheck.ts'
import { type BoundType, boundTypes } from './types.ts'
import { writtenBy } from './written-by.ts'

// Every bound table has one row here, which SQL inserted before the adoption. Foreign keys, checks and unique indexes are removed, so
// that each column can be changed on its own.

type Column = { name: string; type: string; generated: boolean; nullable: boolean }

let running: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
let tenant: TestTenant
const columns = new Map<string, Column[]>()
const ids = new Map<string, string>()
beforeAll(async () => {
  running = await testRuntime()
  owner = await connectAsOwner(running)
  tenant = await testTenant(running)
  for (const { table } of boundTypes) {
    const { rows } = await owner.query<Column>(
      `select attname as name, format_type(atttypid, atttypmod) as type, attgenerated <> '' as generated, not attnotnull as nullable
       from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
      [table],
    )
    columns.set(table, rows)
    const { rows: checks } = await owner.query<{ name: string }>(
      `select conname as name from pg_constraint where conrelid = $1::regclass and contype in ('c', 'u')`,
      [table],
    )
    for (const { name } of checks) await owner.query(`alter table ${table} drop constraint "${name}" cascade`)
    const { rows: indexes } = await owner.query<{ name: string }>(
      'select indexrelid::regclass::text as name from pg_index where indrelid = $1::regclass and indisunique and not indisprimary',
      [table],
    )
    for (const { name } of indexes) await owner.query(`drop index ${name} cascade`)
  }
  for (const bound of boundTypes) ids.set(bound.type, await insertRow(bound))
  expect(await adoptTenant(tenant.id)).toBe(true)
}, 60_000)
afterAll(async () => {
  await owner.end()
  await running.close()
})

const samples: Record<string, [one: string, other: string]> = {
  uuid: [`'0198c000-0000-7000-8000-00000000000a'`, `'0198c000-0000-7000-8000-00000000000b'`],
  text: [`'one'`, `'two'`],
  'text[]': [`'{one}'`, `'{one,two}'`],
  'uuid[]': [`'{}'`, `'{0198c000-0000-7000-8000-00000000000a}'`],
  integer: ['1', '2'],
  bigint: ['9007199254740993', '9007199254740992'],
  smallint: ['1', '2'],
  boolean: ['true', 'false'],
  jsonb: [`'{"a": 12345678901234567890}'`, `'{"a": 12345678901234567891}'`],
  'bytea[]': [`null`, `null`],
  bytea: [`'\\x03aa'`, `'\\x03ab'`],
  date: [`'2026-11-20'`, `'2026-11-21'`],
  'timestamp with time zone': [`'2026-11-20T10:00:00.001Z'`, `'2026-11-20T10:00:00.002Z'`],
}
const sampleOf = ({ name, type }: Column, which: 0 | 1): string => {
  // Only the spans of executions are bound.
  if (name === 'origin') return [`'execution'`, `'telemetry'`][which] ?? ''
  const sample = samples[type]
  if (sample === undefined)
    throw new Error(`The column ${name} has the type ${type}, for which this test lacks a value.`)
  return sample[which]
}

/** Runs a statement without foreign keys; triggers don't run either. */
async function unchecked(statement: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  await owner.query('set session_replication_role = replica')
  const { rows, rowCount } = await owner.query<Record<string, unknown>>(statement, values)
  await owner.query('set session_replication_role = default')
  expect(rowCount, statement).toBeGreaterThan(0)
  return rows
}

const idOf = ({ key }: BoundType, row: Record<string, unknown>): string =>
  key.map(([column]) => String(row[column])).join('/')

async function insertRow(bound: BoundType): Promise<string> {
  const written = (columns.get(bound.table) ?? []).filter(({ generated }) => !generated)
  const value = (column: Column) => (column.name === 'tenant_id' ? `'${tenant.id}'` : sampleOf(column, 0))
  const [row = {}] = await unchecked(
    `insert into ${bound.table} (${written.map(({ name }) => name).join(', ')}) values (${written.map(value).join(', ')}) returning *`,
  )
  return idOf(bound, row)
}

const copiedColumns = ({ table }: BoundType): string[] =>
  (columns.get(table) ?? []).filter(({ generated }) => !generated).map(({ name }) => name)

/** Inserts a second row that differs from the first in the last column of its key. Returns its id, and that of the object above it. */
async function insertCopy(bound: BoundType): Promise<{ id: string; parent: string | undefined }> {
  const { table, key } = bound
  const copied = copiedColumns(bound)
  const [column, type] = key.at(-1) ?? ['', '']
  const value = (name: string) => (name === column ? (samples[type]?.[1] ?? '') : name)
  const [row = {}] = await unchecked(
    `insert into ${table} (${copied.join(', ')}) select ${copied.map(value).join(', ')} from ${table} where ${where(bound, ids.get(bound.type) ?? '')} returning *`,
  )
  return { id: idOf(bound, row), parent: key.length > 1 ? String(row[key[0]?.[0] ?? '']) : undefined }
}

/** Deletes a row. Returns what inserts it again. */
async function removeRow(bound: BoundType, id: string): Promise<() => Promise<unknown>> {
  const { table } = bound
  const copied = copiedColumns(bound).join(', ')
  const kept = `removed_${table}`
  await owner.query(`create temporary table ${kept} as select ${copied} from ${table} where ${where(bound, id)}`)
  await unchecked(`delete from ${table} where ${where(bound, id)}`)
  return async () => {
    await unchecked(`insert into ${table} (${copied}) select * from ${kept}`)
    await owner.query(`drop table ${kept}`)
  }
}

const inTenant = <T>(work: Parameters<typeof running.database.inTenant<T>>[1]) =>
  running.database.inTenant(tenant.id, work)
/** Alone, and as a page does, which only compares what it does not know: both must find the same. */
async function check({ type }: BoundType, id: string): Promise<void> {
  const page = inTenant((tx) => requireBoundTogether(tx, tenant.id, { [type]: [id] })).catch((error: unknown) => error)
  const alone = inTenant((tx) => requireBound(tx, tenant.id, type, [id])).catch((error: unknown) => error)
  const [found, expected] = await Promise.all([page, alone])
  expect(found).toEqual(expected)
  if (expected !== undefined) throw expected
}
const where = ({ key }: BoundType, id: string) =>
  `tenant_id = '${tenant.id}' and ${key.map(([column]) => `${column}::text`).join(` || '/' || `)} = '${id}'`
const formOf = ({
  key,
  plain,
  times,
  micros = [],
  attributes = [],
  large = [],
  bytes = [],
  committed = [],
  content = [],
}: BoundType) => ({
  key: key.map(([column]) => column),
  plain,
  times,
  micros,
  attributes,
  large,
  bytes,
  committed,
  content,
})

/** The log itself, and what the record of the request proves in which it arrived: its root covers their leaves. */
const provenOtherwise = ['audit_records', 'batch_resources', 'telemetry_batches', 'traces']
/** Jobs and lists of the domain itself, which no archive shows. */
const notShown = ['erasure_archives', 'evidence_exports']

test('every table that an archive shows is bound', () => {
  const shown = Object.entries(tableOwners)
    .filter(
      ([table, { owner: domain, readBy }]) =>
        readBy.includes('evidence') || (domain === 'evidence' && !notShown.includes(table)),
    )
    .map(([table]) => table)
  expect(shown.length).toBeGreaterThan(20)
  const bound = boundTypes.map(({ table }) => table)
  expect(shown.filter((table) => !bound.includes(table) && !provenOtherwise.includes(table))).toEqual([])
  expect(contentTables.map(({ table }) => table).filter((table) => !bound.includes(table))).toEqual([
    'mails',
    'idempotency_keys',
  ])
})

test('a call of a function of the database is known to write what the function writes, itself or by others', async () => {
  const { rows } = await owner.query<{ name: string; body: string }>(
    `select proname as name, prosrc as body from pg_proc
     where pronamespace = 'public'::regnamespace and prorettype <> 'trigger'::regtype and prolang <> 0`,
  )
  const bodies = new Map(rows.map(({ name, body }) => [name, body]))
  const tablesOf = (name: string, seen: ReadonlySet<string> = new Set()): string[] => {
    const body = bodies.get(name)
    if (body === undefined || seen.has(name)) return []
    const within = new Set([...seen, name])
    const own = [...body.matchAll(/\b(?:insert into|update|delete from)\s+(?:public\.)?(\w+)/gi)].map(
      ([, table = '']) => table,
    )
    const called = [...body.matchAll(/\b(\w+)\(/g)].flatMap(([, other = '']) => tablesOf(other, within))
    return [...own, ...called]
  }
  const isBound = (table: string) => boundTypes.some((bound) => bound.table === table)
  const writing = [...bodies.keys()].filter((name) => callerFunctions.includes(name) && tablesOf(name).some(isBound))
  expect(writing).toContain('begin_call')
  for (const name of writing) {
    const known = writtenBy(`select ${name}($1)`).map(({ table }) => table)
    expect(
      tablesOf(name).filter((table) => isBound(table) && !known.includes(table)),
      name,
    ).toEqual([])
  }
})

describe.each(boundTypes.map((bound) => [bound.type, bound] as const))('%s', (_type, bound) => {
  const { table, left = [] } = bound
  const id = () => ids.get(bound.type) ?? ''

  test('has each column of the table in its form, or in the list of those that are left out', () => {
    const found = columns.get(table) ?? []
    const listed = [...Object.values(formOf(bound)).flat(), ...left, 'tenant_id']
    expect(listed.toSorted()).toEqual(
      found
        .filter(({ generated }) => !generated)
        .map(({ name }) => name)
        .sort(),
    )
    const ofType = (type: string) => found.filter((one) => one.type === type).map(({ name }) => name)
    const form = formOf(bound)
    const without = (names: string[]) => names.filter((name) => !left.includes(name))
    expect([...form.times, ...form.micros].sort()).toEqual(without(ofType('timestamp with time zone')).sort())
    expect([...form.large].sort()).toEqual(without(ofType('bigint')).sort())
    expect([...form.bytes, ...form.content].sort()).toEqual(without(ofType('bytea')).sort())
    for (const [column, kind] of bound.key) expect(ofType(kind)).toContain(column)
    expect(bound.locks).toBe(/update/.test(serverGrants[table] ?? ''))
  })

  test('has a trigger for each kind of statement, which notes each column', async () => {
    const { rows } = await owner.query<{ type: number; enabled: string; body: string; condition: string }>(
      `select tgtype::int as type, tgenabled as enabled, prosrc as body, pg_get_triggerdef(pg_trigger.oid) as condition from pg_trigger join pg_proc on pg_proc.oid = tgfoid
       where tgrelid = $1::regclass and tgname like 'note\\_%' order by tgname`,
      [table],
    )
    // AFTER, for each statement: DELETE (8), INSERT (4), UPDATE (16). For each row (1), if the table has other rows, too.
    const each = bound.only === undefined ? 0 : 1
    expect(rows.map(({ type, enabled }) => [type, enabled])).toEqual([
      [8 + each, 'O'],
      [4 + each, 'O'],
      [16 + each, 'O'],
    ])
    // Nothing is noted for rows that the process knows.
    for (const { condition } of rows) expect(condition).toContain(`current_setting('app.rows_known'`)
    const noted = (columns.get(table) ?? []).filter(({ name, generated }) => name !== 'tenant_id' && !generated)
    if (bound.only !== undefined) expect(rows[0]?.body).toContain('to_jsonb(old)')
    else for (const { name } of noted) expect(rows[0]?.body).toMatch(new RegExp(`\\b${name}\\b`))
    for (const name of bound.content ?? [])
      expect(rows[0]?.body).toContain(`public.content_commitment(${name}) as ${name}`)
    for (const verb of ['insert into', 'update', 'delete from', 'INSERT INTO']) {
      expect(writtenBy(`${verb} ${table} x`)).toContain(bound)
      expect(writtenBy(`with a as (${verb} "${table}" x)`)).toContain(bound)
    }
    expect(writtenBy(`select 1 from ${table}`)).toEqual([])
  })

  test('differs from its state when any column is changed, and matches it again when the change is taken back', async () => {
    await check(bound, id())
    const form = formOf(bound)
    const covered = [
      ...form.plain,
      ...form.times,
      ...form.micros,
      ...form.attributes,
      ...form.large,
      ...form.bytes,
      ...form.committed,
      ...form.content,
    ]
    for (const name of covered) {
      const column = columns.get(table)?.find((one) => one.name === name)
      if (column === undefined) throw new Error(`${table} does not have the column ${name}`)
      const others = [sampleOf(column, 1), ...(column.nullable ? ['null'] : [])]
      if (column.type === 'timestamp with time zone') others.push(`'infinity'`)
      for (const other of others) {
        await unchecked(`update ${table} set ${name} = ${other} where ${where(bound, id())}`)
        await expect(check(bound, id()), `${name} = ${other}`).rejects.toMatchObject({
          code: 'integrity_failed',
          details: { type: bound.type, id: id() },
        })
      }
      await unchecked(`update ${table} set ${name} = ${sampleOf(column, 0)} where ${where(bound, id())}`)
      await check(bound, id())
    }
  })

  test('is found by the next read when it is deleted or inserted by SQL', async () => {
    const added = await insertCopy(bound)
    const of = (missing: string) => ({ details: { id: missing } })
    await expect(check(bound, added.id)).rejects.toMatchObject(of(added.id))
    const { parent } = added
    const below = (above: string) => inTenant((tx) => requireBoundBelow(tx, tenant.id, bound.type, above))
    if (parent !== undefined) await expect(below(parent)).rejects.toMatchObject(of(added.id))
    await unchecked(`delete from ${table} where ${where(bound, added.id)}`)
    await check(bound, added.id)

    const restore = await removeRow(bound, id())
    await expect(check(bound, id())).rejects.toMatchObject(of(id()))
    if (parent !== undefined) await expect(below(parent)).rejects.toMatchObject(of(id()))
    await restore()
    await check(bound, id())
  })
})

test('one re-read finds the rows of all tables that SQL inserted, or deleted', async () => {
  const found = async () => (await recheckRows(tenant.id))?.map(({ type, id }) => `${type} ${id}`).sort()
  const added: [BoundType, string][] = []
  for (const bound of boundTypes) added.push([bound, (await insertCopy(bound)).id])
  expect(await found()).toEqual(added.map(([{ type }, id]) => `${type} ${id}`).sort())
  for (const [bound, id] of added) await unchecked(`delete from ${bound.table} where ${where(bound, id)}`)

  const restores: (() => Promise<unknown>)[] = []
  for (const bound of boundTypes) restores.push(await removeRow(bound, ids.get(bound.type) ?? ''))
  expect(await found()).toEqual([...ids].map(([type, id]) => `${type} ${id}`).sort())
  for (const restore of restores) await restore()
})

test('afterwards everything matches again', async () => {
  expect(await recheckRows(tenant.id)).toEqual([])
  expect(runtime().database).toBe(running.database)
})
