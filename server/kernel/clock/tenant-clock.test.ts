import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoPrefix } from '#lib/verify/demo.ts'
import { listLogOwners } from '#server/audit/store.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { findRealm } from '#server/kernel/auth/realm-store.ts'
import { bindTenant, type Database, openDatabase, type Transaction } from '#server/kernel/db/database.ts'
import { newRandomId } from '#server/kernel/ids.ts'
import { moveTenantClock } from '#server/tenants/clock-store.ts'
import { createTenant } from '#server/tenants/create-tenant.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'

// What the database accepts of the clock of a demo tenant, by each role.

const day = 86_400_000
let running: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
let owning: Database
let ordinary: TestTenant
beforeAll(async () => {
  running = await testRuntime()
  owner = await connectAsOwner(running)
  ordinary = await testTenant(running)
  const ownerUrl = new URL(process.env.TEST_DATABASE_URL ?? '')
  ownerUrl.pathname = new URL(running.database.url).pathname
  owning = openDatabase(ownerUrl.href, running.log, { poolSize: 1 })
})
afterAll(async () => {
  await owning.close()
  await owner.end()
  await running.close()
})

const newDemo = () => {
  const slug = `d-${randomBytes(4).toString('hex')}`
  return { id: newRandomId(), slug, externalId: `${demoPrefix}${slug}` }
}
const branding = {
  displayName: 'd',
  logoUrl: null,
  logoMarkUrl: null,
  logoAlt: 'd',
  accentColor: null,
  coBranding: 'none' as const,
  language: null,
}

/** The row alone: a demo's first records are those of a process whose clock is behind, which this one is not. */
const insertDemo = (database: Database, demo: ReturnType<typeof newDemo>, behind: string) =>
  database.inTenant(demo.id, (tx) =>
    sql`insert into tenants (id, slug, external_id, name, display_name, branding, clock_behind)
      values (${demo.id}, ${demo.slug}, ${demo.externalId}, 'd', 'd', ${JSON.stringify(branding)}, ${behind}::interval)`.execute(
      tx,
    ),
  )

const clockOf = async (id: string) => {
  const { rows } = await owner.query<{ from: Date; behind: number }>(
    `select demo_from as from, extract(epoch from clock_behind)::float8 * 1000 as behind from tenants where id = $1`,
    [id],
  )
  return rows[0]
}

const record = (tx: Transaction, tenant: { id: string; externalId: string }) =>
  appendAudit(tx, tenant, { actor: systemActor, action: 'test', resource: { type: 'x', id: 'y' } })

test('the owner of the database makes a demo tenant, whose clock starts up to 15 days ago', async () => {
  const demo = newDemo()
  await insertDemo(owning, demo, '14 days')
  const clock = await clockOf(demo.id)
  expect(clock?.behind).toBe(14 * day)
  expect(Math.abs((clock?.from.getTime() ?? 0) - (Date.now() - 14 * day))).toBeLessThan(60_000)
  for (const behind of ['16 days', '-1 second'])
    await expect(insertDemo(owning, newDemo(), behind)).rejects.toThrow('at most 15 days ago')
})

describe('the role of the server', () => {
  test('does not make a demo tenant', async () => {
    await expect(insertDemo(running.database, newDemo(), '14 days')).rejects.toThrow('Only the owner')
  })

  test('does not move or end its clock', async () => {
    const demo = newDemo()
    await insertDemo(owning, demo, '14 days')
    const move = running.database.inTenant(demo.id, (tx) => moveTenantClock(tx, demo.id, 0))
    await expect(move).rejects.toThrow('permission denied')
    const from = running.database.inTenant(demo.id, (tx) =>
      sql`update tenants set demo_from = null where id = ${demo.id}`.execute(tx),
    )
    await expect(from).rejects.toThrow('permission denied')
    expect((await clockOf(demo.id))?.behind).toBe(14 * day)
  })

  test('does not write into the log of one that is being filled, at any time but that of its clock', async () => {
    const demo = newDemo()
    await insertDemo(owning, demo, '14 days')
    const write = (moment: Date) =>
      running.database.inTenant(demo.id, (tx) =>
        sql`select append_keyed_records(${demo.id}, ${moment}, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`.execute(
          tx,
        ),
      )
    for (const at of [Date.now(), Date.now() - 13 * day, Date.now() - 15 * day])
      await expect(write(new Date(at))).rejects.toThrow('differs too much')
    await write(new Date(Date.now() - 14 * day))
  })

  test('does not write into the past of any other tenant, whatever its session says of its clock', async () => {
    const write = running.database.inTenant(ordinary.id, async (tx) => {
      await sql`select set_config('app.clock_behind', '14 days', true)`.execute(tx)
      const moment = new Date(Date.now() - 14 * day)
      await sql`select append_keyed_records(${ordinary.id}, ${moment}, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`.execute(
        tx,
      )
    })
    await expect(write).rejects.toThrow('differs too much')
    await running.database.inTenant(ordinary.id, (tx) => record(tx, ordinary))
  })
})

describe('the clock of a demo tenant', () => {
  test('moves forward only, until it is the ordinary one, and stays that', async () => {
    const demo = newDemo()
    await insertDemo(owning, demo, '14 days')
    const move = (behind: number) => owning.inTenant(demo.id, (tx) => moveTenantClock(tx, demo.id, behind))
    await move(13 * day)
    await expect(move(14 * day)).rejects.toThrow('only moves forward')
    await expect(move(-1)).rejects.toThrow('only moves forward')
    await move(0)
    await expect(move(1)).rejects.toThrow('only moves forward')
  })

  test('can’t be given to another tenant, or taken away, not even by the owner', async () => {
    const demo = newDemo()
    await insertDemo(owning, demo, '1 day')
    for (const [id, change] of [
      [ordinary.id, `clock_behind = interval '1 day', demo_from = now()`],
      [ordinary.id, `clock_behind = interval '1 day', demo_from = now(), external_id = '${demoPrefix}x'`],
      [demo.id, 'clock_behind = null, demo_from = null'],
      [demo.id, `clock_behind = null, demo_from = null, external_id = 'real'`],
      [demo.id, `external_id = 'real'`],
      [demo.id, `demo_from = now() - interval '3 days'`],
    ])
      await expect(owner.query(`update tenants set ${change} where id = $1`, [id])).rejects.toThrow('demo tenant')
  })
})

test('only a demo tenant has an external id that says so, and each of them has one', async () => {
  const named = { ...newDemo(), name: 'd', displayName: 'd', branding }
  const plain = running.database.inDirectory(async (tx) => {
    await bindTenant(tx, named.id)
    await createTenant(tx, named)
  })
  await expect(plain).rejects.toThrow('demo_by_name')
  await expect(insertDemo(owning, { ...newDemo(), externalId: 'acme' }, '1 day')).rejects.toThrow('demo_by_name')
})

test('while it is being filled, no worker works for it and no one can sign in', async () => {
  const demo = newDemo()
  await insertDemo(owning, demo, '2 days')
  const seen = () =>
    running.database.inDirectory(async (tx) => ({
      worked: (await listLogOwners(tx)).some(({ id }) => id === demo.id),
      realm: (await findRealm(tx, demo.slug))?.tenantId,
    }))
  expect(await seen()).toEqual({ worked: false, realm: undefined })
  await owning.inTenant(demo.id, (tx) => moveTenantClock(tx, demo.id, 0))
  expect(await seen()).toEqual({ worked: true, realm: demo.id })
})

test('each time that a table sets by itself is that of the clock', async () => {
  const { rows } = await owner.query<{ place: string }>(
    `select d.adrelid::regclass || '.' || a.attname as place from pg_attrdef d
     join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum join pg_class c on c.oid = d.adrelid
     where c.relnamespace = 'public'::regnamespace and c.relname <> 'schema_migrations'
       and pg_get_expr(d.adbin, d.adrelid) ~ '(^|[^.])\\m(now|clock_timestamp)\\(\\)|current_timestamp|current_date'`,
  )
  expect(rows).toEqual([])
})
