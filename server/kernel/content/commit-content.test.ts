import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { JsonValue } from '#lib/json.ts'
import { newId } from '#server/kernel/ids.ts'
import {
  cipherOf,
  forgetTenantKeys,
  type TenantCipher,
  tenantCipher,
  tenantKeyContext,
} from '#server/kernel/keys/tenant-keys.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { commitContent } from './commit-content.ts'
import { commitmentOf } from './committed.ts'
import { contentContext, contentTables } from './tables.ts'

let running: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
let tenant: TestTenant
/** Encrypts as versions before commitments did. */
let before: TenantCipher
beforeAll(async () => {
  running = await testRuntime()
  owner = await connectAsOwner(running)
  // Rows without those that they refer to, and with any texts.
  await owner.query('set session_replication_role = replica')
  await owner.query(`do $$ declare one record; begin
    for one in select conrelid::regclass as owner, conname from pg_constraint
      where contype = 'c' and connamespace = 'public'::regnamespace and conislocal loop
      execute format('alter table %s drop constraint if exists %I', one.owner, one.conname);
    end loop;
  end $$`)
})
afterAll(async () => {
  await owner.end()
  await running.close()
})
beforeEach(async () => {
  tenant = await testTenant(running)
  const key = randomBytes(32)
  // As an earlier version left it: the tenant's first record has made a key, and with it the row of formats.
  await owner.query('update tenant_keys set sealed_key = $2 where tenant_id = $1', [
    tenant.id,
    running.vault.encrypt(key, tenantKeyContext(tenant.id, 1)),
  ])
  await owner.query('delete from content_formats where tenant_id = $1', [tenant.id])
  forgetTenantKeys(tenant.id)
  before = cipherOf(tenant.id, [{ version: 1, key }], false)
})

const rowsOfEach = 130
const plainValue = (column: string, at: number): JsonValue =>
  column === 'name' ? `letter ${at}` : { note: `value ${at}` }

/** Inserts rows into every table of content, with bytes of an earlier version. */
async function insertOld(): Promise<void> {
  for (const { table, key, place, columns } of contentTables) {
    const { rows: needed } = await owner.query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, null) as type from pg_attribute a
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attidentity = ''
         and (attnotnull and not atthasdef or attname = any($2))`,
      [table, [...key, ...place, ...columns]],
    )
    for (let at = 0; at < rowsOfEach; at += 1) {
      const row = new Map(needed.map(({ name, type }) => [name, filler(type, at)]))
      row.set('tenant_id', tenant.id)
      const where = place.map((name) => String(row.get(name)))
      for (const column of columns)
        row.set(column, before.encryptJson(plainValue(column, at), contentContext(table, where, column)))
      await owner.query(
        `insert into ${table} (${[...row.keys()].join(', ')}) values (${[...row].map((_, index) => `$${index + 1}`).join(', ')})`,
        [...row.values()],
      )
    }
  }
}

function filler(type: string, at: number): unknown {
  if (type === 'uuid') return newId()
  if (type === 'jsonb') return '[]'
  if (type === 'boolean') return false
  if (/^(integer|bigint|smallint)$/.test(type)) return at
  if (type.startsWith('timestamp')) return new Date()
  if (type === 'bytea') return Buffer.from(`${at}`)
  return `text-${at}`
}

/** Format bytes of all values, with their number. Reads each value with the tenant's present cipher. */
async function formats(): Promise<Record<string, number>> {
  forgetTenantKeys(tenant.id)
  const cipher = await running.database.inTenant(tenant.id, (tx) => tenantCipher(tx, tenant.id))
  const found: Record<string, number> = {}
  for (const { table, place, columns } of contentTables) {
    const { rows } = await owner.query<{ place: string[]; bytes: Buffer[] }>(
      `select array[${place.map((name) => `${name}::text`).join(', ')}] as place, array[${columns.join(', ')}] as bytes
       from ${table} where tenant_id = $1`,
      [tenant.id],
    )
    for (const row of rows)
      for (const [index, bytes] of row.bytes.entries()) {
        expect(cipher.decryptJson(bytes, contentContext(table, row.place, columns[index] ?? ''))).toBeTruthy()
        found[`${bytes[0]}`] = (found[`${bytes[0]}`] ?? 0) + 1
        if (bytes[0] === 4) expect(commitmentOf(bytes)).toMatch(/^[\w-]{43}$/)
      }
  }
  return found
}

const values = rowsOfEach * contentTables.reduce((sum, { columns }) => sum + columns.length, 0)
const rows = rowsOfEach * contentTables.length

/** Ends after this many checks, as a process that is stopped does. */
const stopAfter = (checks: number) => {
  let left = checks
  return {
    get stopped() {
      left -= 1
      return left < 0
    },
  }
}

test('content of earlier versions gets commitments once, wherever an earlier round was stopped', async () => {
  await insertOld()
  expect(await formats()).toEqual({ 3: values })
  // The first round only ends writing without commitments.
  expect(await commitContent(tenant.id)).toEqual({ rows: 0, completed: false })
  expect(await commitContent(tenant.id)).toEqual({ rows: 0, completed: false })
  const first = await commitContent(tenant.id, stopAfter(4), -1)
  expect(first).toEqual({ rows: 2 * rowsOfEach, completed: false })
  const left = await formats()
  expect(left['3']).toBeGreaterThan(0)
  expect(left['4']).toBeGreaterThan(0)

  // A batch that fails, as when the process is killed within it, changes nothing.
  await owner.query(
    'update mails set message = set_byte(message, 40, get_byte(message, 40) # 1) where tenant_id = $1',
    [tenant.id],
  )
  await expect(commitContent(tenant.id, undefined, -1)).rejects.toThrow(/changed/)
  await owner.query(
    'update mails set message = set_byte(message, 40, get_byte(message, 40) # 1) where tenant_id = $1',
    [tenant.id],
  )
  const both = await Promise.all([commitContent(tenant.id, undefined, -1), commitContent(tenant.id, undefined, -1)])
  expect(both.every(({ completed }) => completed)).toBe(true)
  expect(both.reduce((sum, one) => sum + one.rows, 0)).toBeLessThan(rows)
  expect(await formats()).toEqual({ 4: values })
  expect(await commitContent(tenant.id, undefined, -1)).toEqual({ rows: 0, completed: true })
})

/** The format of a value in a tenant that did not have a key. */
const formatOfNew = async () => {
  const { id } = await testTenant(running)
  const cipher = await running.database.inTenant(id, (tx) => tenantCipher(tx, id))
  return cipher.encryptJson('x', 'x/1')[0]
}

test('nothing is written with a commitment while a process of an earlier version is connected', async () => {
  expect(await formatOfNew()).toBe(4)
  const earlier = new Client({ connectionString: running.database.url, application_name: 'earlier' })
  await earlier.connect()
  try {
    // The answer is kept for five seconds.
    await expect.poll(formatOfNew, { timeout: 20_000 }).toBe(3)
    expect(await commitContent(tenant.id)).toEqual({ rows: 0, completed: false })
    const { rowCount } = await owner.query('select 1 from content_formats where tenant_id = $1', [tenant.id])
    expect(rowCount).toBe(0)
  } finally {
    await earlier.end()
  }
})
