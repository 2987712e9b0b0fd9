import { afterAll, beforeAll, expect, test } from 'vitest'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { newId } from '#server/kernel/ids.ts'
import { asOwner, connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { signNewRecords, signTenant } from './sign-tenant.ts'

// What signs the log of a tenant with new records, between two rounds that look at the whole of it.

let runtime: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  runtime = await testRuntime()
})
afterAll(() => runtime.close())

const log = (tenant: TestTenant) =>
  runtime.database.inTenant(tenant.id, async (tx) => {
    await appendAudit(tx, tenant, { actor: systemActor, action: 'test', resource: { type: 'x', id: newId() } })
  })

/** How many records the tenant's newest checkpoint of a day covers, how many there are, and the alarms about its log. */
async function stateOf({ id }: TestTenant) {
  const owner = await connectAsOwner(runtime)
  const { rows } = await owner.query<{ signed: number; stored: number; alarms: number }>(
    `select coalesce((select max(size) from audit_checkpoints where tenant_id = $1), 0)::integer as signed,
       (select count(*) from audit_records where tenant_id = $1)::integer as stored,
       (select count(*) from alarms where tenant_id = $1)::integer as alarms`,
    [id],
  )
  await owner.end()
  return rows[0]
}

/** A tenant whose log a round has signed and found in order. */
async function settled(): Promise<TestTenant> {
  const tenant = await testTenant(runtime)
  await log(tenant)
  for (let rounds = 1; !(await signTenant(tenant.id)); rounds++) expect(rounds).toBeLessThan(3)
  return tenant
}

test('new records are signed, and no checkpoint is made without any', async () => {
  const tenant = await settled()
  await log(tenant)
  await log(tenant)
  await signNewRecords(tenant.id)
  const after = await stateOf(tenant)
  expect(after).toMatchObject({ signed: after?.stored, alarms: 0 })
  await signNewRecords(tenant.id)
  expect(await stateOf(tenant)).toEqual(after)
})

test('a log that SQL has changed is reported, and not signed', async () => {
  const tenant = await settled()
  const before = await stateOf(tenant)
  await asOwner(runtime, `update audit_records set leaf_hash = sha256('x') where tenant_id = $1 and seq = 0`, [
    tenant.id,
  ])
  await log(tenant)
  await signNewRecords(tenant.id)
  const after = await stateOf(tenant)
  expect(after?.signed).toBe(before?.signed)
  expect(after?.alarms).toBeGreaterThan(0)
})
