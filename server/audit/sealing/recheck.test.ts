import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { today } from '#server/audit/store.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { newId } from '#server/kernel/ids.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { connectAsOwner, waitingForLock } from '#server/testing/owner.ts'
import { moveToPast } from '#server/testing/past-day.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { recheckTenant } from './recheck.ts'
import { startSealer } from './sealer.ts'
import { signTenant } from './sign-tenant.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
beforeAll(async () => {
  runtime = await testRuntime()
  owner = await connectAsOwner(runtime)
})
afterAll(async () => {
  await owner.end()
  await runtime.close()
})

test('the recurring check runs in a process that began on an empty database', { timeout: 120_000 }, async () => {
  const sealer = startSealer()
  try {
    // The first sweep finds no tenant.
    const date = await runtime.database.inDirectory(today)
    const tenant = await testTenant(runtime)
    const auditId = await runtime.database.inTenant(tenant.id, (tx) =>
      appendAudit(tx, tenant, { actor: systemActor, action: 'test', resource: { type: 'x', id: newId() } }),
    )
    const signed = async () =>
      (await owner.query('select 1 from audit_trees where tenant_id = $1 and log = $2', [tenant.id, date])).rowCount
    await expect.poll(signed, { timeout: 30_000 }).toBe(1)
    await owner.query(`update audit_records set type = 'tset' where audit_id = $1`, [auditId])
    // As if it had not been checked since.
    await owner.query('update audit_trees set checked_at = null, mac = null where tenant_id = $1', [tenant.id])
    const alarms = async () =>
      (
        await owner.query<{ log: string }>(
          `select record -> 'resource' ->> 'id' as log from audit_records
           where tenant_id = $1 and type = 'audit_log.integrity_failed'`,
          [tenant.id],
        )
      ).rows
    await expect.poll(alarms, { timeout: 60_000, interval: 500 }).toEqual([{ log: date }])
  } finally {
    await sealer.close()
  }
})

test('a check that is stopped ends after the records that it is reading, and the log stays due', async () => {
  const tenant = await testTenant(runtime)
  await runtime.database.inTenant(tenant.id, (tx) =>
    appendAudit(tx, tenant, { actor: systemActor, action: 'test', resource: { type: 'x', id: newId() } }),
  )
  await signTenant(tenant.id)
  const checked = async () =>
    (await owner.query('select 1 from audit_trees where tenant_id = $1 and checked_at is not null', [tenant.id]))
      .rowCount
  await owner.query('begin; lock table audit_records in access exclusive mode')
  const stop = new AbortController()
  const check = recheckTenant(tenant.id, 'all', stop.signal)
  const ended = expect(check).rejects.toThrow('aborted')
  await waitingForLock(owner)
  stop.abort()
  await owner.query('commit')
  await ended
  expect(await checked()).toBe(0)
  await recheckTenant(tenant.id)
  // The day, and the log of closed days.
  expect(await checked()).toBe(2)
})

describe('a change', () => {
  /** A tenant with a record of a closed day and one of today, both changed by SQL after they were signed and checked. */
  async function scene() {
    const tenant = await testTenant(runtime)
    const thisDay = await runtime.database.inDirectory(today)
    const yesterday = new Date(Date.parse(thisDay) - 86_400_000).toISOString().slice(0, 10)
    await moveToPast(runtime, tenant, yesterday)
    await runtime.database.inTenant(tenant.id, (tx) =>
      appendAudit(tx, tenant, { actor: systemActor, action: 'test', resource: { type: 'x', id: newId() } }),
    )
    await signTenant(tenant.id)
    await recheckTenant(tenant.id)
    expect(await alarmsOf(tenant)).toEqual([])
    for (const date of [thisDay, yesterday])
      await owner.query(
        `update audit_records set type = 'changed' where (tenant_id, date, seq) in
         (select tenant_id, date, seq from audit_records where tenant_id = $1 and date = $2 order by seq limit 1)`,
        [tenant.id, date],
      )
    return { tenant, date: thisDay, yesterday }
  }
  const alarmsOf = async (tenant: TestTenant) =>
    (
      await owner.query<{ log: string }>(
        `select record -> 'resource' ->> 'id' as log from audit_records
         where tenant_id = $1 and type = 'audit_log.integrity_failed'
         order by 1 desc`,
        [tenant.id],
      )
    ).rows.map(({ log }) => log)
  /** As if this service had checked the log at another time. */
  const checkedBefore = async (tenant: TestTenant, log: string, ms: number) => {
    const checkedAt = new Date(Date.now() - ms)
    const cipher = await runtime.database.inTenant(tenant.id, (tx) => tenantCipher(tx, tenant.id))
    const mac = cipher.mac('audit.tree', JSON.stringify([tenant.id, log, checkedAt.toISOString(), null, null]))
    await owner.query('update audit_trees set checked_at = $3, mac = $4 where tenant_id = $1 and log = $2', [
      tenant.id,
      log,
      checkedAt,
      mac,
    ])
  }
  const minute = 60_000

  test('of a record of today is found when the last check is nine minutes old, and of a closed day when it is a day old', async () => {
    const { tenant, date, yesterday } = await scene()
    await checkedBefore(tenant, date, 5 * minute)
    await checkedBefore(tenant, yesterday, 22 * 60 * minute)
    await recheckTenant(tenant.id)
    expect(await alarmsOf(tenant)).toEqual([])
    await checkedBefore(tenant, date, 9 * minute)
    await recheckTenant(tenant.id)
    expect(await alarmsOf(tenant)).toEqual([date])
    await checkedBefore(tenant, yesterday, (23 * 60 + 30) * minute)
    await recheckTenant(tenant.id)
    expect(await alarmsOf(tenant)).toEqual([date, yesterday])
  })

  test('of a record of today is found without waiting for closed days', async () => {
    const { tenant, date, yesterday } = await scene()
    await checkedBefore(tenant, date, 9 * minute)
    await checkedBefore(tenant, yesterday, 48 * 60 * minute)
    await recheckTenant(tenant.id, 'open')
    expect(await alarmsOf(tenant)).toEqual([date])
    await recheckTenant(tenant.id, 'closed')
    expect(await alarmsOf(tenant)).toEqual([date, yesterday])
  })

  test('of the stored tree of closed days is found: its size, which is read nowhere else', async () => {
    const tenant = await testTenant(runtime)
    const thisDay = await runtime.database.inDirectory(today)
    await moveToPast(runtime, tenant, new Date(Date.parse(thisDay) - 86_400_000).toISOString().slice(0, 10))
    await signTenant(tenant.id)
    await recheckTenant(tenant.id)
    expect(await alarmsOf(tenant)).toEqual([])
    const altered = await owner.query(
      `update audit_trees set size = size + 1 where tenant_id = $1 and log = 'seals' returning size`,
      [tenant.id],
    )
    expect(altered.rows).toEqual([{ size: 2 }])
    await checkedBefore(tenant, 'seals', (23 * 60 + 30) * minute)
    await recheckTenant(tenant.id)
    expect(await alarmsOf(tenant)).toEqual(['seals'])
  })
})
