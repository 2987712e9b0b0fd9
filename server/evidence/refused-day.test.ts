import { readFile } from 'node:fs/promises'
import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recheckTenant } from '#server/audit/sealing/recheck.ts'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { auditorOf, exportRuntime } from '#server/testing/exports.ts'
import { insertForged } from '#server/testing/forge-record.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { moveToPast } from '#server/testing/past-day.ts'
import type { TestTenant } from '#server/testing/tenant.ts'

// docs/log.md: what a refused open day stops, and what the operator does.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
let owner: Client
beforeAll(async () => {
  runtime = await exportRuntime()
  owner = await connectAsOwner(runtime)
})
afterAll(async () => {
  await owner.end()
  await runtime.close()
})

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)

/** The statements for an inserted record, with the values that psql would put in. */
async function takeOut({ id }: TestTenant, date: string, position: number): Promise<void> {
  const text = await readFile('docs/log.md', 'utf8')
  const sql = /```sql\n(begin;\ndelete from audit_records[\s\S]*?)```/.exec(text)?.[1] ?? ''
  expect(sql).toContain('commit;')
  const values = new Map([
    [`:'tenant'`, `'${id}'`],
    [`:'day'`, `'${date}'`],
    [':position', String(position)],
  ])
  await owner.query(sql.replaceAll(/:'tenant'|:'day'|:position/g, (name) => values.get(name) ?? ''))
}

test('an open day that is refused fails the exports of closed days, until the inserted record is taken out', async () => {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  await moveToPast(runtime, tenant, day(-1))
  await owner.query(`update members set created_at = created_at - interval '1 day' where tenant_id = $1`, [tenant.id])
  await signTenant(tenant.id)
  const yesterday = { startDate: `${day(-1)}T00:00:00.000Z`, endDate: `${day(0)}T00:00:00.000Z`, includeProofs: true }
  const before = await runtime.make(tenant, auditor, yesterday)
  expect(before.error).toBeNull()

  const forged = await insertForged(owner, tenant, { date: day(0) })
  const { rows } = await owner.query<{ seq: number }>('select seq from audit_records where audit_id = $1', [forged])
  const refused = await runtime.make(tenant, auditor, yesterday)
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'integrity_failed' } })
  expect(refused.error?.message).toContain('was not written by this service')
  await signTenant(tenant.id)
  expect(await runtime.actions(tenant, day(0))).toContain('audit_log.integrity_failed')

  // The alarms are records after it.
  await takeOut(tenant, day(0), rows[0]?.seq ?? -1)
  await signTenant(tenant.id)
  await owner.query('update audit_trees set checked_at = null, mac = null where tenant_id = $1', [tenant.id])
  await recheckTenant(tenant.id, 'open')
  const again = await runtime.make(tenant, auditor, yesterday)
  expect(again.error).toBeNull()
  expect(again.status).toBe('completed')
  const today = await runtime.make(tenant, auditor)
  expect(today.error).toBeNull()
  expect(await runtime.actions(tenant, forged)).toEqual([])
})
