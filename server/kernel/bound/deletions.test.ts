import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { purgeFiles } from '#server/files/purge.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/closing.ts'
import { serverGrants } from '#server/kernel/db/grants.ts'
import { newId, newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { deletePasskey } from '#server/passkeys/store.ts'
import { addGroupMember, createGroup } from '#server/tenants/create-tenant.ts'
import { replaceGroupMembers } from '#server/tenants/group-store.ts'
import { setMappedGroups } from '#server/tenants/provider/mapped-groups.ts'
import { deleteMapping, findNamed, insertMapping } from '#server/tenants/provider/mapping-store.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { startSpan, startTrace } from '#server/traces/recording/record.ts'
import { purgeTraces } from '#server/traces/retention/retention.ts'
import { adoptTenant } from './adopt.ts'
import { recheckOpenDays, recheckRows } from './recheck.ts'
import { boundType, boundTypes } from './types.ts'

// Rows of evidence that the server itself deletes: the log keeps their last state and says who deleted them and why.

let running: Awaited<ReturnType<typeof testRuntime>>
let owner: Client
let tenant: TestTenant
let memberId: string
beforeAll(async () => {
  running = await testRuntime()
  owner = await connectAsOwner(running)
  tenant = await testTenant(running)
  memberId = (await tenant.as('jonas')).principal.memberId
  await owner.query(`update tenants set settings = '{"retentionDays":40}' where id = $1`, [tenant.id])
  expect(await adoptTenant(tenant.id)).toBe(true)
})
afterAll(async () => {
  await owner.end()
  await running.close()
})

const inTenant = <T>(work: (tx: Transaction) => Promise<T>) => running.database.inTenant(tenant.id, work)

type Deletion = { insert(): Promise<string>; remove(id: string): Promise<unknown>; action: string }

const deletions: Record<string, Deletion> = {
  approver_group_members: {
    action: 'approver_group.changed',
    insert: () =>
      inTenant(async (tx) => {
        const groupId = await createGroup(tx, tenant, `group-${randomBytes(4).toString('hex')}`, 'Reviewers')
        await addGroupMember(tx, tenant, groupId, memberId)
        return `${groupId}/${memberId}`
      }),
    remove: (id) =>
      inTenant(async (tx) => {
        const [groupId = ''] = id.split('/')
        await replaceGroupMembers(tx, tenant.id, groupId, [])
        await appendAudit(tx, tenant, {
          actor: systemActor,
          action: 'approver_group.changed',
          resource: { type: 'approver_group', id: groupId },
        })
      }),
  },
  group_mappings: {
    action: 'group.mappings_set',
    insert: () =>
      inTenant(async (tx) => {
        const id = newId()
        const groupId = await createGroup(tx, tenant, `group-${randomBytes(4).toString('hex')}`, 'Reviewers')
        await insertMapping(tx, { tenantId: tenant.id, id, groupId, issuer: 'https://idp.example', name: 'approvers' })
        return id
      }),
    remove: (id) =>
      inTenant(async (tx) => {
        await deleteMapping(tx, tenant.id, id)
        await appendAudit(tx, tenant, {
          actor: systemActor,
          action: 'group.mappings_set',
          resource: { type: 'group_mapping', id },
        })
      }),
  },
  mapped_members: {
    action: 'member.groups_named',
    insert: () =>
      inTenant(async (tx) => {
        await setMappedGroups(tx, tenant.id, { memberId, source: 'scim', names: ['approvers'] })
        const [row] = await findNamed(tx, tenant.id, 'scim', memberId)
        return row?.id ?? ''
      }),
    remove: () =>
      inTenant(async (tx) => {
        await setMappedGroups(tx, tenant.id, { memberId, source: 'scim', names: [] })
        await appendAudit(tx, tenant, {
          actor: systemActor,
          action: 'member.groups_named',
          resource: { type: 'member', id: memberId },
        })
      }),
  },
  files: {
    action: 'file.expired',
    insert: () =>
      inTenant(async (tx) => {
        const id = newId()
        await tx
          .insertInto('files')
          .values({
            tenantId: tenant.id,
            id,
            sha256: randomBytes(32).toString('hex'),
            name: Buffer.from('\x03file'),
            mediaType: 'text/plain',
            bytes: 3,
            createdBy: memberId,
            createdAt: new Date(Date.now() - 8 * 24 * 3600_000),
          })
          .execute()
        return id
      }),
    remove: () => purgeFiles(tenant.id),
  },
  passkeys: {
    action: 'passkey.removed',
    insert: () =>
      inTenant(async (tx) => {
        const id = newId()
        await tx
          .insertInto('passkeys')
          .values({
            tenantId: tenant.id,
            id,
            memberId,
            credentialId: randomBytes(16).toString('base64url'),
            publicKey: randomBytes(32),
            transports: [],
            synced: false,
            name: 'Laptop',
            signCount: 0,
          })
          .execute()
        return id
      }),
    remove: (id) =>
      inTenant(async (tx) => {
        await deletePasskey(tx, tenant.id, memberId, id)
        await appendAudit(tx, tenant, {
          actor: systemActor,
          action: 'passkey.removed',
          resource: { type: 'passkey', id },
        })
      }),
  },
  spans: {
    action: 'traces.expired',
    insert: () =>
      inTenant(async (tx) => {
        const [traceId, spanId, startedAt] = [newTraceId(), newSpanId(), new Date()]
        await startTrace(tx, tenant.id, { traceId, name: 'refund', startedAt })
        const span = { traceId, spanId, name: 'lookup_order', kind: 'tool' as const, attributes: [], startedAt }
        await startSpan(tx, tenant.id, span)
        const { rows } = await sql<{ day: string }>`select day::text from traces where trace_id = ${traceId}`.execute(
          tx,
        )
        return `${rows[0]?.day}/${traceId}/${spanId}`
      }),
    remove: () => purgeTraces(tenant.id, Date.now() + 10_000 * 86_400_000),
  },
}

test('the server’s role can delete rows of these bound tables and of no others', () => {
  const deletable = boundTypes.filter(({ table }) => /\bdelete\b/.test(serverGrants[table] ?? ''))
  expect(deletable.map(({ table }) => table).toSorted()).toEqual(Object.keys(deletions).toSorted())
})

/** The states of an object in the log, in order, each with the action of its record. */
async function logged(type: string, id: string) {
  const { rows } = await owner.query<{ action: string; record: JsonObject }>(
    'select type as action, record from audit_records where tenant_id = $1 order by date, seq',
    [tenant.id],
  )
  return rows.flatMap(({ action, record }) =>
    (Array.isArray(record.states) ? record.states : [])
      .filter(isJsonObject)
      .filter((state) => state.type === type && state.id === id)
      .map(({ revision, digest }) => ({ action, revision, digest })),
  )
}

describe.each(Object.entries(deletions))('%s', (table, { insert, remove, action }) => {
  const found = boundTypes.find((one) => one.table === table)
  if (found === undefined) throw new Error('unreachable: every table here is bound')
  const { type, key } = boundType(found.type)
  const where = `tenant_id = $1 and ${key.map(([column]) => `${column}::text`).join(` || '/' || `)} = $2`

  test('the record of a deletion ends the states of the row; its last one stays in the log', async () => {
    const id = await insert()
    const { rows } = await owner.query<{ digest: string }>(
      `select 'sha256:' || encode(digest, 'hex') as digest from bound_states where tenant_id = $1 and type = $2 and id = $3`,
      [tenant.id, type, id],
    )
    await owner.query(`create temporary table removed as select * from ${table} where ${where}`, [tenant.id, id])
    await remove(id)
    expect((await logged(type, id)).slice(-2)).toEqual([
      { action: expect.any(String), revision: 1, digest: rows[0]?.digest },
      { action, revision: 2, digest: null },
    ])
    expect(await recheckOpenDays(tenant.id)).toEqual([])

    // The row as it was is not the row that the log has.
    await owner.query(`insert into ${table} select * from removed`)
    await owner.query('drop table removed')
    expect(await recheckOpenDays(tenant.id)).toEqual([
      expect.objectContaining({ type, id, reason: 'It was deleted, and inserted again outside the server.' }),
    ])
    await owner.query(`delete from ${table} where ${where}`, [tenant.id, id])
    expect(await recheckOpenDays(tenant.id)).toEqual([])
  })

  test('a deletion by SQL is found, also together with its bound state', async () => {
    const id = await insert()
    await owner.query(`create temporary table removed as select * from ${table} where ${where}`, [tenant.id, id])
    await owner.query(`delete from ${table} where ${where}`, [tenant.id, id])
    const differs = [expect.objectContaining({ type, id })]
    expect(await recheckOpenDays(tenant.id)).toEqual(differs)
    await owner.query(
      'create temporary table removed_state as select * from bound_states where tenant_id = $1 and type = $2 and id = $3',
      [tenant.id, type, id],
    )
    await owner.query('delete from bound_states where tenant_id = $1 and type = $2 and id = $3', [tenant.id, type, id])
    expect(await recheckOpenDays(tenant.id)).toEqual(differs)
    await owner.query(`insert into ${table} select * from removed`)
    await owner.query('insert into bound_states select * from removed_state')
    await owner.query('drop table removed')
    await owner.query('drop table removed_state')
    expect(await recheckOpenDays(tenant.id)).toEqual([])
  })

  test('a row that was changed by SQL can’t be deleted by the server, which would hide the change', async () => {
    const id = await insert()
    const values: Record<string, [other: string, before: string]> = {
      files: [`media_type = 'text/html'`, `media_type = 'text/plain'`],
      group_mappings: [`name = 'everyone'`, `name = 'approvers'`],
      mapped_members: [`name = 'everyone'`, `name = 'approvers'`],
      passkeys: ['synced = not synced', 'synced = not synced'],
      spans: [`status = 'error'`, `status = 'unset'`],
    }
    const [other, before] = values[table] ?? []
    if (other === undefined) return expect(found.plain).toEqual([])
    await owner.query(`update ${table} set ${other} where ${where}`, [tenant.id, id])
    await expect(remove(id)).rejects.toMatchObject({ code: 'integrity_failed', details: { type, id } })
    await owner.query(`update ${table} set ${before} where ${where}`, [tenant.id, id])
    await remove(id)
  })
})

test.each(boundTypes.map(({ type }) => type))(
  'a state of %s under an id that no row can have is found, and does not stop the comparison',
  async (type) => {
    const id = 'x'
    await owner.query(
      `insert into bound_states (tenant_id, type, id, form, revision, digest, audit_id, mac)
       values ($1, $2, $3, 1, 1, null, $4, '\\x00')`,
      [tenant.id, type, id, newId()],
    )
    try {
      expect(await recheckRows(tenant.id)).toContainEqual(expect.objectContaining({ type, id }))
    } finally {
      await owner.query('delete from bound_states where tenant_id = $1 and id = $2', [tenant.id, id])
    }
  },
)
