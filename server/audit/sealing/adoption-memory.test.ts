import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { adoptionOfType } from '#server/kernel/bound/adopted.ts'
import { writeLease } from '#server/kernel/bound/adoption-lease.ts'
import { connectAdoptionMemory } from '#server/kernel/bound/adoption-memory.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { recheckRows } from '#server/kernel/bound/recheck.ts'
import { boundType } from '#server/kernel/bound/types.ts'
import { startBinding } from '#server/kernel/bound/worker.ts'
import { type Database, openDatabase } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { runtime, setRuntime } from '#server/kernel/runtime.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { acceptLogHead } from './accept-log-head.ts'
import { adoptionMemory } from './adoption-memory.ts'
import { readAdoptedTypes } from './memory/adopted-types.ts'
import { readMemory } from './memory/signer-memory.ts'
import { signTenant } from './sign-tenant.ts'

// An administrator of the database makes it forget that a tenant's rows were bound, so that rows that were changed since would
// be bound again as they are. The owner's connection may do everything in SQL.

let running: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
let tenant: TestTenant
let group: string
const opened: Database[] = []
beforeAll(async () => {
  running = await testRuntime()
  owner = await connectAsOwner(running)
  connectAdoptionMemory(adoptionMemory)
})
beforeEach(async () => {
  tenant = await testTenant(running)
  group = await insertGroup()
})
afterEach(async () => {
  setRuntime(running)
  connectAdoptionMemory(adoptionMemory)
  for (const database of opened.splice(0)) await database.close()
})
afterAll(async () => {
  await owner.end()
  await running.close()
})

/** A row that a version before this one wrote. */
async function insertGroup(): Promise<string> {
  const id = newId()
  await owner.query(
    'insert into approver_groups (tenant_id, id, name, display_name) values ($1, $2::uuid, $2::uuid::text, $2::uuid::text)',
    [tenant.id, id],
  )
  return id
}

/** What a process has in memory about a database belongs to its connection pool: with a new one it begins like a new process. */
function restart(roles: ('web' | 'worker')[] = ['web', 'worker']): void {
  const database = openDatabase(running.database.url, running.log, { poolSize: 4 })
  opened.push(database)
  setRuntime({ ...running, database, config: { ...running.config, roles: new Set(roles) } })
}

const inTenant: Database['inTenant'] = (id, work) => runtime().database.inTenant(id, work)
const memory = () => inTenant(tenant.id, async (tx) => (await readMemory(tx, tenant))?.memory)
const check = () => inTenant(tenant.id, (tx) => requireBound(tx, tenant.id, 'approver_group', [group]))
const change = () => owner.query(`update approver_groups set display_name = 'Mallory' where id = $1`, [group])
const transition = () =>
  inTenant(tenant.id, (tx) => tx.updateTable('approverGroups').set({ revision: 2 }).where('id', '=', group).execute())
const recorded = async (type: string) =>
  (await owner.query('select 1 from audit_records where tenant_id = $1 and type = $2', [tenant.id, type])).rowCount ?? 0
const statements = async (...texts: string[]) => {
  for (const text of texts) await owner.query(text, [tenant.id])
}

const deleteRow = 'delete from bound_adoptions where tenant_id = $1'
const deleteRecord = `delete from audit_records where tenant_id = $1 and type = 'state.adoption_ended'`
const deleteAdopted = `delete from audit_records where tenant_id = $1 and type = 'state.adopted'`
const deleteStates = 'delete from bound_states where tenant_id = $1'

test('the end of the adoption is in the signer’s memory, with its record', async () => {
  expect(await adoptTenant(tenant.id)).toBe(true)
  const { rows } = await owner.query<{ auditId: string; endedAt: Date }>(
    'select audit_id as "auditId", ended_at as "endedAt" from bound_adoptions where tenant_id = $1',
    [tenant.id],
  )
  const [row] = rows
  expect((await memory())?.adopted).toEqual({ auditId: row?.auditId, endedAt: row?.endedAt.toISOString() })
  await signTenant(tenant.id)
  expect((await memory())?.adopted?.auditId).toBe(row?.auditId)
})

describe('after a restart, a changed row is tampering, and is not bound as it is, if the database lost', () => {
  test.each([
    ['nothing', []],
    ['the row of the end', [deleteRow]],
    ['the record of the end', [deleteRecord]],
    ['both', [deleteRow, deleteRecord]],
    ['both and what was bound', [deleteRow, deleteRecord, deleteAdopted, deleteStates]],
    [
      'the log',
      [
        deleteRow,
        deleteStates,
        'delete from audit_records where tenant_id = $1',
        'delete from audit_checkpoints where tenant_id = $1',
        'delete from audit_trees where tenant_id = $1',
        'delete from audit_days where tenant_id = $1',
      ],
    ],
  ])('%s', async (_what, losses) => {
    expect(await adoptTenant(tenant.id)).toBe(true)
    await signTenant(tenant.id)
    const before = await recorded('state.adopted')
    await statements(...losses)
    await change()
    restart()

    await expect(check()).rejects.toMatchObject({ code: 'integrity_failed', details: { id: group } })
    await expect(transition()).rejects.toMatchObject({ code: 'integrity_failed', details: { id: group } })
    await adoptTenant(tenant.id)
    expect(await recheckRows(tenant.id)).toContainEqual(expect.objectContaining({ type: 'approver_group', id: group }))
    expect(await recorded('state.adopted')).toBeLessThanOrEqual(before)
    await expect(check()).rejects.toMatchObject({ code: 'integrity_failed' })
  })
})

test('an end that could not be remembered is remembered by the next process', async () => {
  connectAdoptionMemory({ ...adoptionMemory, remember: () => Promise.reject(new Error('The store can’t be reached.')) })
  await expect(adoptTenant(tenant.id)).rejects.toThrow('can’t be reached')
  expect((await memory())?.adopted ?? null).toBeNull()
  connectAdoptionMemory(adoptionMemory)
  restart()
  expect(await adoptTenant(tenant.id)).toBe(true)
  expect((await memory())?.adopted).not.toBeNull()
  await statements(deleteRow, deleteRecord)
  restart()
  await change()
  await expect(check()).rejects.toMatchObject({ code: 'integrity_failed' })
})

test('a record of the end that SQL made is not remembered', async () => {
  await owner.query(
    `update audit_records set type = 'state.adoption_ended' where (tenant_id, audit_id) in
     (select tenant_id, audit_id from audit_records where tenant_id = $1 order by seq desc limit 1)`,
    [tenant.id],
  )
  expect(await adoptTenant(tenant.id)).toBe(false)
  expect((await memory())?.adopted ?? null).toBeNull()
})

test('while the memory is missing, no adoption begins; the operator’s command to accept the head ends that', async () => {
  await signTenant(tenant.id)
  await rm(join(running.config.dataDir, 'signer-memory', tenant.id), { recursive: true })
  expect(await adoptTenant(tenant.id)).toBe(false)
  expect(await recorded('state.adopted')).toBe(0)
  await inTenant(tenant.id, (tx) => acceptLogHead(tx, tenant))
  expect(await adoptTenant(tenant.id)).toBe(true)
  expect((await memory())?.adopted).not.toBeNull()
})

describe('types that a later version binds', () => {
  const spans = boundType('span')
  const adoption = () => inTenant(tenant.id, (tx) => adoptionOfType(tx, tenant.id, spans))
  const types = () => inTenant(tenant.id, (tx) => readAdoptedTypes(tx, tenant.id))
  const deleteLater = `delete from audit_records where tenant_id = $1 and type = 'state.later_adoption_ended'`

  /** As a version before these types has ended the adoption. */
  async function adoptedBefore(): Promise<void> {
    connectAdoptionMemory({ ...adoptionMemory, rememberTypes: () => Promise.resolve(true) })
    expect(await adoptTenant(tenant.id)).toBe(true)
    connectAdoptionMemory(adoptionMemory)
    await statements(
      `update audit_records set record = record #- '{details,types}' where tenant_id = $1 and type = 'state.adoption_ended'`,
    )
    restart()
  }

  test.each([
    ['with the others', () => Promise.resolve(), 0],
    ['later', adoptedBefore, 1],
  ])('are not adopted again without the record of the end: %s', async (_when, before, ends) => {
    await before()
    expect(await adoptTenant(tenant.id)).toBe(true)
    expect(await types()).toEqual(['span'])
    expect(await recorded('state.later_adoption_ended')).toBe(ends)
    await statements(deleteRecord, deleteLater, deleteRow)
    restart()
    expect(await adoption()).toBe('ended')
    await adoptTenant(tenant.id)
    expect(await recorded('state.later_adoption_ended')).toBe(0)
    restart(['web'])
    expect(await adoption()).toBe('unknown')
  })

  test('a confirmation that only they are open says nothing of the others', async () => {
    await adoptedBefore()
    await inTenant(tenant.id, (tx) => writeLease(tx, tenant.id, 'later'))
    restart(['web'])
    expect(await adoption()).toBe('open')
    await statements(deleteRecord, deleteRow)
    restart(['web'])
    expect(await adoption()).toBe('unknown')
  })
})

test('a worker remembers an end that only the log has, also before it may adopt rows itself', async () => {
  const failing = () => Promise.resolve(false)
  connectAdoptionMemory({ ...adoptionMemory, remember: failing, rememberTypes: failing })
  expect(await adoptTenant(tenant.id)).toBe(false)
  connectAdoptionMemory(adoptionMemory)
  await signTenant(tenant.id)
  restart()
  runtime().config.adoptRowsAfter = 3600
  const binding = startBinding({ sweep: 20 })
  await until(async () => ((await memory())?.adopted ?? null) !== null || undefined, 'the end in the memory')
  await until(
    async () => (await inTenant(tenant.id, (tx) => readAdoptedTypes(tx, tenant.id))).length > 0 || undefined,
    'the types in the memory',
  )
  await binding.close()
})

describe('a process without the memory (ROLES=web)', () => {
  const unavailable = { code: 'unavailable', status: 503 }

  test('can’t tell whether a row was changed when every trace of the adoption is gone, so it neither shows nor writes it', async () => {
    expect(await adoptTenant(tenant.id)).toBe(true)
    await statements(deleteRow, deleteRecord)
    await change()
    restart(['web'])
    await expect(check()).rejects.toMatchObject(unavailable)
    await expect(transition()).rejects.toMatchObject(unavailable)
    expect(await recorded('state.integrity_failed')).toBe(0)
  })

  test('shows and writes rows that match their states', async () => {
    const id = newId()
    await inTenant(tenant.id, (tx) =>
      tx.insertInto('approverGroups').values({ tenantId: tenant.id, id, name: id, displayName: id }).execute(),
    )
    restart(['web'])
    await inTenant(tenant.id, (tx) => requireBound(tx, tenant.id, 'approver_group', [id]))
    await inTenant(tenant.id, (tx) =>
      tx.updateTable('approverGroups').set({ revision: 2 }).where('id', '=', id).execute(),
    )
  })

  test('tolerates rows of an older version while a worker confirms that they are being bound', async () => {
    await inTenant(tenant.id, (tx) => writeLease(tx, tenant.id, 'all'))
    restart(['web'])
    await check()
    await transition()
  })

  test.each([
    ['that has expired', -1000, 'bound.adoption_lease'],
    ['without the right mac', 30_000, 'bound.other'],
  ])('does not believe a confirmation %s', async (_what, ms, purpose) => {
    const validUntil = new Date(Date.now() + ms)
    const cipher = await inTenant(tenant.id, (tx) => tenantCipher(tx, tenant.id))
    await owner.query('insert into bound_adoption_leases (tenant_id, valid_until, mac) values ($1, $2, $3)', [
      tenant.id,
      validUntil,
      cipher.mac(purpose, validUntil.toISOString()),
    ])
    restart(['web'])
    await expect(check()).rejects.toMatchObject(unavailable)
  })
})
