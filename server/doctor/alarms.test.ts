import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { close } from '#server/audit/alarms/close.ts'
import { raiseAlarm } from '#server/audit/alarms/raise-alarm.ts'
import { countOpenAlarms } from '#server/audit/alarms/read-alarms.ts'
import { execute } from '#server/kernel/operation.ts'
import { notificationQueue } from '#server/notifications/tell-channels.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { checkAlarms } from './alarms.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
beforeAll(async () => {
  runtime = await testRuntime()
  owner = await connectAsOwner(runtime)
  // Creates the queue of deliveries, and takes none.
  await runtime.queue.work([{ queue: notificationQueue, concurrency: 0, run: async () => undefined }])
})
afterAll(async () => {
  await owner.end()
  await runtime.close()
})

test('open alarms are a warning with their number and tenant, until they are closed', async () => {
  const tenant = await testTenant(runtime)
  const lines = async () => (await checkAlarms(owner)).filter(({ text }) => text.includes(tenant.externalId))
  expect(await lines()).toEqual([])
  for (const subject of ['policy/one', 'policy/two'])
    await raiseAlarm(tenant.id, { kind: 'object', subject, reason: 'The stored policy is not the recorded one.' })
  expect(await lines()).toMatchObject([
    { level: 'warning', subject: 'Alarms', text: expect.stringContaining('has 2 open alarms') },
  ])

  const { rows } = await owner.query<{ id: string }>('select id from alarms where tenant_id = $1', [tenant.id])
  const reason = 'An operator changed the row by mistake; it was restored from the backup.'
  const admin = await tenant.as('ada', { roles: ['tenant_admin'] })
  for (const { id } of rows) await execute(close, admin, { id, reason }, { name: 'alarms.close' })
  expect(await runtime.database.inTenant(tenant.id, (tx) => countOpenAlarms(tx, tenant.id))).toEqual(new Map())
  expect(await lines()).toEqual([])
})

test('an alarm whose row was deleted by SQL still counts, because the log contains it', async () => {
  const tenant = await testTenant(runtime)
  await raiseAlarm(tenant.id, { kind: 'object', subject: 'policy/one', reason: 'It is not the recorded one.' })
  await owner.query('delete from alarms where tenant_id = $1', [tenant.id])
  expect(await checkAlarms(owner)).toContainEqual(
    expect.objectContaining({
      level: 'warning',
      text: expect.stringContaining(`${tenant.externalId} has 1 open alarm`),
    }),
  )
})
