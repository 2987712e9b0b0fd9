import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { olderProcesses } from '#server/kernel/db/older-processes.ts'
import { newId } from '#server/kernel/ids.ts'
import { connectAsOwner, waitingForLock } from '#server/testing/owner.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { adoptTenant } from './adopt.ts'
import { hasLease } from './adoption-lease.ts'
import { onIntegrityFailed, type Tampered } from './integrity-failed.ts'
import { startBinding } from './worker.ts'

// The work without a request: rows from before this version are bound once, and all are compared with the log.

let running: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
const alarms: Tampered[] = []
beforeAll(async () => {
  running = await testRuntime({ environment: { ADOPT_ROWS_AFTER: '0' } })
  owner = await connectAsOwner(running)
  onIntegrityFailed(async (tampered) => void alarms.push(tampered))
})
afterAll(async () => {
  await owner.end()
  await running.close()
})

const statesOf = async (id: string) =>
  (
    await owner.query<{ revision: number; type: string }>(
      `select state.revision, record.type from bound_states state
       join audit_records record on record.tenant_id = state.tenant_id and record.audit_id = state.audit_id
       where state.id = $1`,
      [id],
    )
  ).rows
const ended = async (tenantId: string) =>
  (await owner.query('select 1 from bound_adoptions where tenant_id = $1', [tenantId])).rowCount === 1

const insertGroup = async (tenantId: string): Promise<string> => {
  const id = newId()
  await owner.query(
    'insert into approver_groups (tenant_id, id, name, display_name) values ($1, $2::uuid, $2::uuid::text, $2::uuid::text)',
    [tenantId, id],
  )
  return id
}

test('a worker that is closed ends its adoption after the rows that it is binding', async () => {
  const tenant = await testTenant(running)
  const locked = await insertGroup(tenant.id)
  // Before there is a tenant whose rows are compared, only an adoption reads it.
  await owner.query('begin; lock table approver_groups in access exclusive mode')
  const binding = startBinding({ sweep: 20 })
  await waitingForLock(owner)
  const closed = binding.close()
  await owner.query('commit')
  await closed
  expect(await statesOf(locked)).toHaveLength(1)
  expect(await ended(tenant.id)).toBe(false)
  expect(await adoptTenant(tenant.id)).toBe(true)
})

test('binds what an older version wrote, changed and deleted, writes the end to the log, and reports a difference', async () => {
  const tenant = await testTenant(running)
  const [changed, deleted] = [newId(), newId()]
  await running.database.inTenant(tenant.id, (tx) =>
    tx
      .insertInto('approverGroups')
      .values([changed, deleted].map((id) => ({ tenantId: tenant.id, id, name: id, displayName: id })))
      .execute(),
  )
  const fresh = await insertGroup(tenant.id)
  await owner.query(`update approver_groups set display_name = 'Older' where id = $1`, [changed])
  await owner.query('delete from approver_groups where id = $1', [deleted])
  const binding = startBinding({ sweep: 20 })
  await until(async () => (await ended(tenant.id)) || undefined, 'the end of the adoption')
  expect(await statesOf(fresh)).toEqual([{ revision: 1, type: 'state.adopted' }])
  expect(await statesOf(changed)).toEqual([{ revision: 2, type: 'state.adopted' }])
  expect(await statesOf(deleted)).toEqual([{ revision: 2, type: 'state.adopted' }])
  const { rows } = await owner.query(
    `select record->'resource' as resource from audit_records where tenant_id = $1 and type = 'state.adoption_ended'`,
    [tenant.id],
  )
  expect(rows).toEqual([{ resource: { type: 'tenant', id: tenant.id } }])
  await binding.close()

  await owner.query(`update approver_groups set display_name = 'Other' where id = $1`, [fresh])
  const next = startBinding({ sweep: 20 })
  await until(async () => alarms.some(({ id }) => id === fresh) || undefined, 'the alarm')
  await next.close()
})

test('adopts nothing while a process of an older version is connected', async () => {
  const waiting = await testTenant(running)
  // The worker comes to this tenant after the first one: its alarm ends a round.
  const other = await testTenant(running)
  expect(await adoptTenant(other.id)).toBe(true)
  const forged = await insertGroup(other.id)
  const older = new Client({ connectionString: running.database.url, application_name: 'countersign/1' })
  await older.connect()
  // The answer of the test before is at most five seconds old.
  await until(
    async () => (await running.database.inDirectory((tx) => olderProcesses(tx))) || undefined,
    'the older process to be seen',
  )
  const binding = startBinding({ sweep: 20 })
  await until(async () => alarms.some(({ id }) => id === forged) || undefined, 'the alarm')
  expect(await ended(waiting.id)).toBe(false)
  await binding.close()
  await older.end()
})

test('finds a change to a row of today’s records between two comparisons of all rows', async () => {
  const tenant = await testTenant(running)
  const [changed, replayed, deleted] = [newId(), newId(), newId()]
  await running.database.inTenant(tenant.id, (tx) =>
    tx
      .insertInto('approverGroups')
      .values([changed, replayed, deleted].map((id) => ({ tenantId: tenant.id, id, name: id, displayName: id })))
      .execute(),
  )
  await owner.query('create temporary table old_state as select * from bound_states where id = $1', [replayed])
  await running.database.inTenant(tenant.id, (tx) =>
    tx.updateTable('approverGroups').set({ revision: 2 }).where('id', '=', replayed).execute(),
  )
  expect(await adoptTenant(tenant.id)).toBe(true)
  const binding = startBinding({ sweep: 20, open: 20 })
  // The comparison of all rows, once a day, has passed this tenant when it finds a difference in a later one.
  const later = await testTenant(running)
  expect(await adoptTenant(later.id)).toBe(true)
  const forged = await insertGroup(later.id)
  await until(async () => alarms.some(({ id }) => id === forged) || undefined, 'the alarm of the later tenant')
  expect(alarms.filter(({ tenantId }) => tenantId === tenant.id)).toEqual([])

  await owner.query(`update approver_groups set display_name = 'Other' where id = $1`, [changed])
  await owner.query('update approver_groups set revision = 1 where id = $1', [replayed])
  await owner.query(
    'update bound_states set (revision, digest, audit_id, mac) = (select revision, digest, audit_id, mac from old_state) where id = $1',
    [replayed],
  )
  await owner.query('delete from approver_groups where id = $1', [deleted])
  await owner.query('delete from bound_states where id = $1', [deleted])
  const found = () => alarms.filter(({ tenantId }) => tenantId === tenant.id).map(({ id }) => id)
  await until(async () => found().length === 3 || undefined, 'the three alarms')
  expect(found().toSorted()).toEqual([changed, replayed, deleted].toSorted())
  await binding.close()
})

test('confirms for other processes that the adoption of a tenant is open, and no longer when it has ended', async () => {
  const tenant = await testTenant(running)
  const older = new Client({ connectionString: running.database.url, application_name: 'countersign/1' })
  await older.connect()
  await until(
    async () => (await running.database.inDirectory((tx) => olderProcesses(tx))) || undefined,
    'the older process to be seen',
  )
  const binding = startBinding({ sweep: 20 })
  const leased = () => running.database.inTenant(tenant.id, (tx) => hasLease(tx, tenant.id, 'all'))
  await until(async () => (await leased()) || undefined, 'the confirmation')
  expect(await adoptTenant(tenant.id)).toBe(true)
  await binding.close()
  await owner.query('delete from bound_adoption_leases where tenant_id = $1', [tenant.id])
  const next = startBinding({ sweep: 20 })
  const fresh = await testTenant(running)
  const ofFresh = () => running.database.inTenant(fresh.id, (tx) => hasLease(tx, fresh.id, 'all'))
  await until(async () => (await ofFresh()) || undefined, 'the confirmation of a newer tenant')
  expect(await leased()).toBe(false)
  await next.close()
  await older.end()
})
