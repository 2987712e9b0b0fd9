import type { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listOpenDays } from '#server/kernel/bound/stream-store.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { memoryBeforeSnapshot, requireRememberedDays } from './remembered-days.ts'
import { signDate } from './sign-period.ts'
import { signTenant } from './sign-tenant.ts'
import { knownMemory } from './why-contradicted.ts'

// The border of an archive's rows is read from rows that an administrator of the database can change.

let running: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
let tenant: TestTenant
beforeAll(async () => {
  running = await testRuntime()
  owner = await connectAsOwner(running)
})
beforeEach(async () => {
  tenant = await testTenant(running)
  await signTenant(tenant.id)
})
afterAll(async () => {
  await owner.end()
  await running.close()
})

const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)

async function compare(...changes: string[]): Promise<void> {
  const before = await memoryBeforeSnapshot(tenant.id)
  expect(before).toBeDefined()
  for (const change of changes) await owner.query(change, [tenant.id])
  const open = await running.database.inTenant(tenant.id, (tx) => listOpenDays(tx, tenant.id))
  await requireRememberedDays(tenant.id, open, before)
}

test('the open days are those that the signer remembers, also with records that it has not signed yet', async () => {
  await compare()
  await compare('update audit_days set size = size + 1 where tenant_id = $1')
})

test.each([
  ['has fewer records', 'update audit_days set size = size - 1 where tenant_id = $1', /has \d+ records; the signer/],
  [
    'is missing',
    `with gone as (delete from audit_checkpoints where tenant_id = $1) delete from audit_days where tenant_id = $1`,
    /remembers records of/,
  ],
  ['looks closed', 'update audit_days set sealed_at = now() where tenant_id = $1', /but this service did not close it/],
])('they are refused if a day %s', async (_what, change, reason) => {
  await expect(compare(change)).rejects.toThrow(reason)
})

test('a day that a signer has closed, and not added to the seal log yet, is not missing', async () => {
  await owner.query('insert into audit_days (tenant_id, date, size) values ($1, $2, 0)', [tenant.id, yesterday])
  await signDate(tenant, yesterday)
  const known = await running.database.inTenant(tenant.id, (tx) => knownMemory(tx, tenant))
  const open = await running.database.inTenant(tenant.id, (tx) => listOpenDays(tx, tenant.id))
  expect(known?.memory.days).toHaveProperty([yesterday])
  expect(open.map(({ date }) => date)).not.toContain(yesterday)
  await requireRememberedDays(tenant.id, open, known?.memory)
})

test('they are refused if a sealed day looks open', async () => {
  await owner.query('insert into audit_days (tenant_id, date, size) values ($1, $2, 0)', [tenant.id, yesterday])
  await signTenant(tenant.id)
  await compare()
  const reopen = `update audit_days set sealed_at = null where tenant_id = $1 and sealed_at is not null`
  await expect(compare(reopen)).rejects.toThrow(`${yesterday} was sealed`)
})
