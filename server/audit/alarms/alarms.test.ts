import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { notificationQueue } from '#server/notifications/tell-channels.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { verify } from '#server/traces/verify.ts'
import { close } from './close.ts'
import { listAlarms } from './list.ts'
import { raiseAlarm } from './raise-alarm.ts'
import { countOpenAlarms } from './read-alarms.ts'

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

const found = { kind: 'object', subject: 'policy/one', reason: 'The stored policy is not the recorded one.' } as const
const why = 'An operator changed the row by mistake; it was restored from the backup.'

const list = async (tenant: TestTenant, status?: 'open' | 'closed') =>
  (
    await execute(listAlarms, await tenant.as('vera', { roles: ['auditor'] }), status === undefined ? {} : { status }, {
      name: 'alarms.list',
    })
  ).items
const closeIt = async (tenant: TestTenant, id: string, reason = why) =>
  await execute(close, await tenant.as('ada', { roles: ['tenant_admin'] }), { id, reason }, { name: 'alarms.close' })
const recordsOf = async (tenant: TestTenant, type: string) =>
  (
    await owner.query('select audit_id, record from audit_records where tenant_id = $1 and type = $2', [
      tenant.id,
      type,
    ])
  ).rows
/** A tenant with one open alarm. */
async function alarmed() {
  const tenant = await testTenant(runtime)
  await raiseAlarm(tenant.id, found)
  const [alarm] = await list(tenant)
  if (alarm === undefined) throw new Error('The alarm was not raised.')
  return { tenant, alarm }
}

describe('raising', () => {
  test('records the first finding in the log, and counts further ones while the alarm is open', async () => {
    const { tenant, alarm } = await alarmed()
    expect(alarm).toMatchObject({ ...found, status: 'open', count: 1, inLog: true, closedAt: null })
    await raiseAlarm(tenant.id, { ...found, reason: 'It still differs.' })
    const [again, ...others] = await list(tenant, 'open')
    expect(others).toEqual([])
    expect(again).toMatchObject({ id: alarm.id, count: 2, reason: 'It still differs.' })
    expect(Date.parse(again?.lastSeenAt ?? '')).toBeGreaterThan(Date.parse(again?.firstSeenAt ?? ''))
    expect(await recordsOf(tenant, 'alarm.raised')).toMatchObject([
      { audit_id: alarm.id, record: { actor: systemActor, reason: found.reason, resource: { id: alarm.id } } },
    ])
  })

  test('is reported in the process log each time', async () => {
    const error = vi.spyOn(runtime.log, 'error')
    const { tenant } = await alarmed()
    await raiseAlarm(tenant.id, found)
    const lines = error.mock.calls.filter(([fields]) => Reflect.get(Object(fields), 'tenantId') === tenant.id)
    expect(lines).toEqual(
      [1, 2].map(() => [
        { tenantId: tenant.id, alarm: 'object', subject: found.subject, reason: found.reason },
        expect.stringContaining('ALARM'),
      ]),
    )
    error.mockRestore()
  })

  test('by eight processes at the same time leads to one alarm', async () => {
    const tenant = await testTenant(runtime)
    await Promise.all(Array.from({ length: 8 }, () => raiseAlarm(tenant.id, found)))
    expect(await list(tenant)).toMatchObject([{ count: 8 }])
    expect(await recordsOf(tenant, 'alarm.raised')).toHaveLength(1)
  })

  test('about a log to which nothing can be appended leads to one alarm without a record, which is announced', async () => {
    const tenant = await testTenant(runtime)
    await list(tenant)
    await owner.query(
      `insert into notification_channels (tenant_id, id, kind, name, events, endpoint, host, created_by)
       select tenant_id, $2, 'webhook', 'on-call', '["alarm.raised"]', '\\x00', 'example.com', id from members
       where tenant_id = $1 limit 1`,
      [tenant.id, newId()],
    )
    // The next record gets the first position again, which is taken.
    await owner.query('delete from audit_days where tenant_id = $1', [tenant.id])
    await raiseAlarm(tenant.id, found)
    await raiseAlarm(tenant.id, found)
    const [alarm, ...others] = await list(tenant, 'open')
    expect({ alarm, others }).toMatchObject({ alarm: { ...found, inLog: false, count: 2 }, others: [] })
    const { rows } = await owner.query('select event, subject_id from notification_deliveries where tenant_id = $1', [
      tenant.id,
    ])
    expect(rows).toEqual([{ event: 'alarm.raised', subject_id: alarm?.id }])
  })

  test.each([
    ['was stored without a record', undefined],
    ['has lost its record', `delete from audit_records where tenant_id = $1 and type = 'alarm.raised'`],
  ])(
    'again, when the log can be appended to, records the alarm that %s, and leads to no second one',
    async (_which, loss) => {
      const tenant = await testTenant(runtime)
      await list(tenant)
      await owner.query('create temporary table days as select * from audit_days where tenant_id = $1', [tenant.id])
      if (loss === undefined) await owner.query('delete from audit_days where tenant_id = $1', [tenant.id])
      await raiseAlarm(tenant.id, found)
      await owner.query(loss ?? 'insert into audit_days select * from days where tenant_id = $1', [tenant.id])
      await owner.query('drop table days')
      expect(await list(tenant, 'open')).toMatchObject([{ inLog: false, count: 1 }])
      await raiseAlarm(tenant.id, found)
      await raiseAlarm(tenant.id, found)
      const open = await list(tenant, 'open')
      expect(open).toMatchObject([{ ...found, inLog: true, count: 3 }])
      expect(await recordsOf(tenant, 'alarm.raised')).toMatchObject([{ audit_id: open[0]?.id }])
      await closeIt(tenant, open[0]?.id ?? '')
      expect(await list(tenant, 'open')).toEqual([])
    },
  )

  test('about another subject leads to another alarm', async () => {
    const { tenant } = await alarmed()
    await raiseAlarm(tenant.id, { ...found, subject: 'policy/two' })
    await raiseAlarm(tenant.id, { ...found, kind: 'memory' })
    expect(await list(tenant)).toHaveLength(3)
    const counts = await runtime.database.inTenant(tenant.id, (tx) => countOpenAlarms(tx, tenant.id))
    expect([...counts].sort()).toEqual([
      ['memory', 1],
      ['object', 2],
    ])
  })
})

describe('closing', () => {
  test('needs a person, the permission and a justification, happens once, and is on the record', async () => {
    const { tenant, alarm } = await alarmed()
    const auditor = await tenant.as('vera')
    const machine = await tenant.as('bot', { roles: ['tenant_admin'], kind: 'service_account' })
    const attempt = (caller: typeof auditor, input: object) => execute(close, caller, input, { name: 'alarms.close' })
    await expect(attempt(auditor, { id: alarm.id, reason: why })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(attempt(machine, { id: alarm.id, reason: why })).rejects.toMatchObject({ code: 'person_required' })
    for (const reason of ['ok', 'x'.repeat(30), '\u200b'.repeat(30)])
      await expect(closeIt(tenant, alarm.id, reason)).rejects.toMatchObject({ code: 'validation_failed' })
    await expect(closeIt(tenant, newId())).rejects.toMatchObject({ code: 'not_found' })
    expect(await list(tenant, 'open')).toHaveLength(1)

    const both = await Promise.allSettled([closeIt(tenant, alarm.id), closeIt(tenant, alarm.id)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(closeIt(tenant, alarm.id)).rejects.toMatchObject({ code: 'conflict' })
    expect(await list(tenant, 'open')).toEqual([])
    expect(await list(tenant, 'closed')).toMatchObject([
      { id: alarm.id, closeReason: why, closedBy: { type: 'person', name: 'ada' }, closedAt: expect.any(String) },
    ])
    expect(await recordsOf(tenant, 'alarm.closed')).toMatchObject([
      { record: { reason: why, resource: { type: 'alarm', id: alarm.id }, details: { kind: 'object' } } },
    ])
  })

  test('another tenant’s alarm answers like one that does not exist', async () => {
    const { alarm } = await alarmed()
    await expect(closeIt(await testTenant(runtime), alarm.id)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('does not keep the same difference from raising a new alarm', async () => {
    const { tenant, alarm } = await alarmed()
    await closeIt(tenant, alarm.id)
    await raiseAlarm(tenant.id, found)
    expect(await list(tenant, 'open')).toMatchObject([{ count: 1, subject: found.subject }])
    expect((await list(tenant)).map(({ id }) => id)).toContain(alarm.id)
    expect(await list(tenant)).toHaveLength(2)
  })
})

describe('by SQL, no alarm is silenced:', () => {
  test.each([
    ['a deleted row', 'delete from alarms where tenant_id = $1'],
    ['a changed kind', `update alarms set kind = 'log' where tenant_id = $1`],
    ['a changed subject', `update alarms set subject = 'x' where tenant_id = $1`],
    ['a changed count', 'update alarms set count = 0 where tenant_id = $1'],
    ['a last finding in the future', `update alarms set last_seen_at = 'infinity' where tenant_id = $1`],
    ['an exchanged digest', `update alarms set mac = repeat('0', 64) where tenant_id = $1`],
    ['a removed record', `delete from audit_records where tenant_id = $1 and type = 'alarm.raised'`],
    [
      'a renamed record',
      `update audit_records set type = 'agent.registered' where tenant_id = $1 and type = 'alarm.raised'`,
    ],
    [
      'a forged record that closes it',
      `insert into audit_records (tenant_id, date, seq, audit_id, type, record, nonce, digest, leaf_hash, created_at)
       select tenant_id, date, seq + 100, gen_random_uuid(), 'alarm.closed', jsonb_build_object('at', record -> 'at',
         'action', 'alarm.closed', 'reason', 'Done.', 'actor', jsonb_build_object('type', 'person', 'id', 'x', 'name', 'x'),
         'resource', jsonb_build_object('type', 'alarm', 'id', audit_id), 'details', jsonb_build_object('proof', $$0$$)),
         nonce, digest, leaf_hash, created_at
       from audit_records where tenant_id = $1 and type = 'alarm.raised'`,
    ],
  ])('%s', async (_name, change) => {
    const { tenant, alarm } = await alarmed()
    expect((await owner.query(change, [tenant.id])).rowCount).toBe(1)
    expect(await list(tenant, 'open')).toMatchObject([{ id: alarm.id, subject: found.subject, kind: 'object' }])
    // The next finding is not lost either.
    await raiseAlarm(tenant.id, found)
    const open = await list(tenant, 'open')
    expect(open.some(({ inLog, subject }) => inLog && subject === found.subject)).toBe(true)
  })

  test('the record that closed another alarm, moved to this one', async () => {
    const { tenant, alarm } = await alarmed()
    await closeIt(tenant, alarm.id)
    await raiseAlarm(tenant.id, found)
    const [open] = await list(tenant, 'open')
    const { rowCount } = await owner.query(
      `update audit_records set record = jsonb_set(record, '{resource,id}', to_jsonb($2::text))
       where tenant_id = $1 and type = 'alarm.closed'`,
      [tenant.id, open?.id],
    )
    expect(rowCount).toBe(1)
    expect((await list(tenant, 'open')).map(({ id }) => id).sort()).toEqual([alarm.id, open?.id].sort())
  })

  test('a row that was never raised', async () => {
    const { tenant } = await alarmed()
    await owner.query(
      `insert into alarms select tenant_id, gen_random_uuid(), 'log', 'x', 'x', now(), now(), 1, mac from alarms
       where tenant_id = $1`,
      [tenant.id],
    )
    expect(await list(tenant)).toHaveLength(1)
  })
})

test('a record of a version before this one is an open alarm, until a person closes it', async () => {
  const tenant = await testTenant(runtime)
  const id = await runtime.database.inTenant(tenant.id, (tx) =>
    appendAudit(tx, tenant, {
      actor: systemActor,
      action: 'audit_log.integrity_failed',
      resource: { type: 'audit_log', id: '2026-11-20' },
      reason: 'Record 3 of 2026-11-20 is missing.',
    }),
  )
  expect(await list(tenant)).toMatchObject([{ id, kind: 'log', subject: '2026-11-20', status: 'open', count: 1 }])
  await raiseAlarm(tenant.id, { kind: 'log', subject: '2026-11-20', reason: 'Record 3 of 2026-11-20 is missing.' })
  expect(await list(tenant)).toMatchObject([{ id, count: 2 }])
  await closeIt(tenant, id)
  expect(await list(tenant, 'open')).toEqual([])
})

describe('traces.verify', () => {
  test('raises one alarm for a day of which stored records do not verify, and none for a wrong proof', async () => {
    const tenant = await testTenant(runtime)
    const auditor = await tenant.as('vera', { roles: ['auditor'] })
    const ids = await runtime.database.inTenant(tenant.id, async (tx) => [
      await appendAudit(tx, tenant, { actor: systemActor, action: 'test', resource: { type: 'x', id: '1' } }),
      await appendAudit(tx, tenant, { actor: systemActor, action: 'test', resource: { type: 'x', id: '2' } }),
    ])
    await signTenant(tenant.id)
    const check = async (auditId = '', given: object = {}) =>
      (await execute(verify, auditor, { tenant: tenant.externalId, auditId, ...given }, { name: 'traces.verify' }))
        .status
    expect(await check(ids[0])).toBe('verified')
    expect(await check(ids[0], { nonce: '0'.repeat(64) })).toBe('mismatch')
    expect(await check(ids[0], { merkleRoot: '0'.repeat(64) })).toBe('mismatch')
    expect(await list(tenant)).toEqual([])

    await owner.query(`update audit_records set record = jsonb_set(record, '{reason}', '"x"') where audit_id = $1`, [
      ids[0],
    ])
    expect(await check(ids[0])).toBe('mismatch')
    expect(await check(ids[0], { nonce: '0'.repeat(64) })).toBe('mismatch')
    expect(await list(tenant)).toMatchObject([
      { kind: 'verification', subject: new Date().toISOString().slice(0, 10), count: 2, status: 'open' },
    ])
    expect((await list(tenant))[0]?.reason).toContain(ids[0])
  })
})
