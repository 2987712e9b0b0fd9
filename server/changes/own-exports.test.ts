import { afterAll, beforeAll, expect, test } from 'vitest'
import { visibleExportIds } from '#server/evidence/visible-export-ids.ts'
import { askForExport, auditorOf, exportRuntime } from '#server/testing/exports.ts'
import { changesSince } from './changes-since.ts'

// Without evidence:list only one's own exports are known, and their ids are as unknown as the rest.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
}, 60_000)
afterAll(() => runtime.close())

test('reports only the caller’s own exports to a caller without evidence:list', async () => {
  const tenant = await runtime.tenant()
  const [vera, otto] = [await auditorOf(tenant), await auditorOf(tenant, 'otto')]
  const own = await askForExport(vera)
  const foreign = await askForExport(otto)
  const idsFor = (permissions: ReadonlySet<'evidence:list' | 'evidence:export'>) =>
    runtime.database.inTenant(tenant.id, async (tx) => {
      const principal = { ...vera.principal, permissions }
      const reader = { tenant: vera.tenant, principal, topics: new Set(['evidence'] as const) }
      const { changes } = await changesSince(tx, reader, undefined, [])
      const ids = changes.map(({ id }) => id)
      expect(new Set(ids)).toEqual(await visibleExportIds(tx, tenant.id, principal, [own, foreign]))
      return ids.toSorted()
    })
  expect(await idsFor(new Set(['evidence:list']))).toEqual([own, foreign].toSorted())
  expect(await idsFor(new Set(['evidence:export']))).toEqual([own])
  expect(await idsFor(new Set())).toEqual([])
})
