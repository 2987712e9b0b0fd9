import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { today } from '#server/audit/store.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { newId } from '#server/kernel/ids.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { startSealer } from './sealer.ts'

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
