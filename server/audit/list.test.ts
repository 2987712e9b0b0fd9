import { afterAll, beforeAll, expect, test } from 'vitest'
import { list } from '#server/audit/list.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { asOwner } from '#server/testing/owner.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { listWhatIsShown } from './list-store.ts'

let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let auditor: Caller
beforeAll(async () => {
  runtime = await testRuntime()
  tenant = await testTenant(runtime)
  auditor = await tenant.as('vera', { roles: ['auditor'] })
})
afterAll(() => runtime.close())

const append = (resourceId: string, reason?: string, details: Record<string, string[]> = {}) =>
  runtime.database.inTenant(tenant.id, (tx) =>
    appendAudit(tx, tenant, {
      actor: systemActor,
      action: 'refund.approved',
      resource: { type: 'approval', id: resourceId },
      ...(reason !== undefined && { reason }),
      details,
    }),
  )
const page = (input: object) => execute(list, auditor, input, { name: 'audit.list' })

test('the newest records are first, each with its actor, object, time and reason', async () => {
  const resourceId = newId()
  const ids = [
    await append(resourceId),
    await append(resourceId, 'It is due.'),
    await append(resourceId, 'It is late.'),
  ]
  const first = await page({ resourceId, limit: 2 })
  const second = await page({ resourceId, limit: 2, cursor: first.nextCursor })
  const items = [...first.items, ...second.items]
  expect(items.map(({ auditId }) => auditId)).toEqual(ids.toReversed())
  expect(items.map(({ reason }) => reason)).toEqual(['It is late.', 'It is due.', null])
  expect(second.nextCursor).toBeNull()
  for (const item of items) {
    expect(item.actor).toEqual(systemActor)
    expect(item.resource).toEqual({ type: 'approval', id: resourceId })
    expect(Math.abs(Date.parse(item.at) - Date.now())).toBeLessThan(60_000)
  }
})

test('the rest of a record, which may be long, stays in the database', async () => {
  const resourceId = newId()
  const auditId = await append(resourceId, 'It is due.', { states: Array.from({ length: 500 }, () => newId()) })
  const rows = await runtime.database.inTenant(tenant.id, (tx) =>
    listWhatIsShown(tx, tenant.id, { resourceId, limit: 1, before: undefined }),
  )
  expect(rows.map((row) => row.auditId)).toEqual([auditId])
  expect(JSON.stringify(rows).length).toBeLessThan(1_000)
})

test.each(['"overwritten"', '[]', '{}', '{"actor": 1, "resource": null}'])(
  'a record that was changed to %s is listed under its id',
  async (text) => {
    const auditId = await append(newId(), 'It is due.')
    await asOwner(runtime, 'update audit_records set record = $2::jsonb where audit_id = $1', [auditId, text])
    const { items } = await page({ limit: 1 })
    expect(items).toEqual([
      expect.objectContaining({
        auditId,
        type: 'refund.approved',
        actor: { type: 'unknown', id: '', name: 'Unreadable record' },
        reason: null,
      }),
    ])
  },
)
