import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listFailing } from '#server/notifications/delivery-store.ts'
import { unsendable } from '#server/notifications/failing-text.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { checkDeliveries } from './deliveries.ts'

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

async function channel(tenant: TestTenant, name: string, disabled: string | null = null): Promise<string> {
  const { rows } = await owner.query<{ id: string }>(
    `insert into notification_channels (tenant_id, id, kind, name, events, endpoint, host, status, disabled_reason, created_by)
     values ($1, gen_random_uuid(), 'webhook', $2, '[]', '', 'hook.example', $3, $4, gen_random_uuid()) returning id`,
    [tenant.id, name, disabled === null ? 'active' : 'disabled', disabled],
  )
  return rows[0]?.id ?? ''
}
const delivery = (tenant: TestTenant, channelId: string, state: string, error: string | null) =>
  owner.query(
    `insert into notification_deliveries (tenant_id, id, channel_id, event, subject_id, facts, delivery, attempts, error, settled_at)
     values ($1, gen_random_uuid(), $2, 'test', 's', '{}', $3, 1, $4, case when $3 = 'pending' then null else clock_timestamp() end)`,
    [tenant.id, channelId, state, error],
  )
const mail = (tenant: TestTenant, state: string, { attempts = 1, age = '1 hour' } = {}) =>
  owner.query(
    `insert into mails (tenant_id, id, kind, subject_id, delivery, attempts, error, created_at, settled_at)
     values ($1, gen_random_uuid(), 'approval_request', gen_random_uuid(), $2, $3, 'The SMTP server refused the message (550).',
       clock_timestamp() - $4::interval, clock_timestamp())`,
    [tenant.id, state, attempts, age],
  )
const linesOf = async ({ externalId }: TestTenant) =>
  (await checkDeliveries(owner)).filter(({ text }) => text.startsWith(`${externalId}:`))

test('a channel that does not deliver is a warning, as the console lists it, until a message arrives', async () => {
  const tenant = await testTenant(runtime)
  const [id, other] = [await channel(tenant, 'pager'), await channel(tenant, 'desk')]
  await delivery(tenant, other, 'delivered', null)
  expect(await linesOf(tenant)).toEqual([])
  await delivery(tenant, id, 'pending', 'The address answered 500.')
  await delivery(tenant, id, 'failed', 'The address answered 500.')
  await delivery(tenant, id, 'failed', unsendable.gone)
  expect(await linesOf(tenant)).toMatchObject([
    {
      level: 'warning',
      subject: 'Channels',
      text: expect.stringMatching(
        /the channel pager has not delivered 2 messages since .* The address answered 500\.$/,
      ),
    },
  ])
  const listed = await runtime.database.inTenant(tenant.id, (tx) => listFailing(tx, tenant.id, [id, other]))
  expect([...listed]).toMatchObject([[id, { messages: 2, error: 'The address answered 500.' }]])
  await owner.query('delete from notification_deliveries where tenant_id = $1 and delivery = $2', [
    tenant.id,
    'pending',
  ])
  await delivery(tenant, id, 'delivered', null)
  expect(await linesOf(tenant)).toEqual([])
})

test('a channel that an answer turned off is a warning; one that a person turned off is not', async () => {
  const tenant = await testTenant(runtime)
  await channel(tenant, 'gone', 'Its address answered 410: it is gone.')
  const off = await channel(tenant, 'off', 'Turned off by a person.')
  await delivery(tenant, off, 'failed', 'The address answered 500.')
  expect(await linesOf(tenant)).toMatchObject([
    { level: 'warning', text: expect.stringContaining('the channel gone is off. Its address answered 410') },
  ])
})

test('mails of the last days that were tried and did not arrive are a warning', async () => {
  const tenant = await testTenant(runtime)
  await mail(tenant, 'delivered')
  await mail(tenant, 'failed', { attempts: 0 })
  await mail(tenant, 'failed', { age: '8 days' })
  expect(await linesOf(tenant)).toEqual([])
  await mail(tenant, 'failed')
  await mail(tenant, 'unknown')
  expect(await linesOf(tenant)).toMatchObject([
    {
      level: 'warning',
      subject: 'Mail',
      text: expect.stringContaining('2 mails of the last seven days did not arrive.'),
    },
  ])
})
