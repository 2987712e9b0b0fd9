import { afterAll, beforeAll, expect, test } from 'vitest'
import { roleNames } from '#lib/permissions.ts'
import { registerDecisions } from '#server/jobs.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { fillLists, nthId } from '#server/testing/long-lists.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { scansOf, statementsOf } from '#server/testing/statements.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { adoptTenant } from './adopt.ts'
import { readObjectsOf, readTouched } from './store.ts'
import { boundTypes } from './types.ts'

// Binding a row and comparing one read these rows alone, however many a tenant has, and also before PostgreSQL has counted them.

const rows = 1000
const touched = 2
let running: Awaited<ReturnType<typeof testRuntime>>
let tenantId: string
beforeAll(async () => {
  registerDecisions()
  running = await testRuntime()
  const tenant = await testTenant(running)
  tenantId = tenant.id
  const { principal } = await tenant.as('vera', { roles: [...roleNames] })
  const owner = await connectAsOwner(running)
  await fillLists(owner, { tenantId, memberId: principal.memberId, from: 0, to: rows })
  await owner.end()
  expect(await adoptTenant(tenantId)).toBe(true)
}, 120_000)
afterAll(() => running.close())

const types = boundTypes.filter(({ table }) => ['agents', 'approvals', 'executions'].includes(table))
const ids = Array.from({ length: touched }, (_, n) => nthId(n + 5))

/** How many rows of the bound tables, and of their states, a statement of `work` reads. */
async function rowsRead(tx: Transaction, work: () => Promise<unknown>): Promise<number> {
  const [statement] = await statementsOf(work)
  if (statement === undefined) throw new Error('No statement was sent.')
  const tables = new Set(['bound_states', ...types.map(({ table }) => table)])
  const scans = (await scansOf(tx, statement)).filter(({ relation }) => tables.has(relation))
  expect(new Set(scans.map(({ relation }) => relation))).toEqual(tables)
  return scans.reduce((sum, scan) => sum + scan.rows, 0)
}

test('binding reads the rows that were written', async () => {
  await running.database
    .inTenant(tenantId, async (tx) => {
      await tx.updateTable('agents').set({ revision: 9 }).where('id', 'in', ids).execute()
      await tx.updateTable('approvals').set({ revision: 9 }).where('id', 'in', ids).execute()
      await tx.updateTable('executions').set({ revision: 9 }).where('id', 'in', ids).execute()
      // Each row, and its state.
      expect(await rowsRead(tx, () => readTouched(tx, types))).toBe(types.length * touched * 2)
      throw new Error('rolled back')
    })
    .catch((error: unknown) => expect(error).toMatchObject({ message: 'rolled back' }))
})

test('comparing reads the rows that were asked for', async () => {
  const asked = types.map((bound) => ({ bound, ids }))
  await running.database.inTenant(tenantId, async (tx) =>
    expect(await rowsRead(tx, () => readObjectsOf(tx, asked))).toBe(types.length * touched * 2),
  )
})
