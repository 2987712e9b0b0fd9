import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute } from '#server/kernel/operation.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { list } from './list.ts'
import { remove } from './remove.ts'
import { save } from './save.ts'

// Filters under a name, on the real database.

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
})
afterAll(() => running.close())

async function scene() {
  const tenant = await testTenant(running)
  return {
    jonas: await tenant.as('jonas', { roles: ['approver'] }),
    anna: await tenant.as('anna', { roles: ['approver'] }),
    admin: await tenant.as('admin', { roles: ['tenant_admin', 'viewer'] }),
  }
}
const saves = (caller: Caller, name: string, more: object = {}) =>
  execute(save, caller, { list: 'approvals', name, search: { risk: 'high' }, ...more }, { name: 'savedViews.save' })
const names = async (caller: Caller) =>
  (await execute(list, caller, { list: 'approvals' }, { name: 'savedViews.list' })).items.map(({ name }) => name)
const removes = (caller: Caller, id: string) => execute(remove, caller, { id }, { name: 'savedViews.remove' })

test('each person sees their own and the shared ones, and a name is replaced', async () => {
  const { jonas, anna } = await scene()
  await saves(jonas, 'Mine')
  const { id } = await saves(jonas, 'For all', { shared: true })
  expect(await saves(jonas, 'For all', { shared: true, search: { q: 'order' } })).toEqual({ id })
  await saves(anna, 'Mine')
  expect(await names(jonas)).toEqual(['For all', 'Mine'])
  const { items } = await execute(list, anna, { list: 'approvals' }, { name: 'savedViews.list' })
  expect(items).toMatchObject([
    { name: 'For all', search: { q: 'order' }, owner: { username: 'jonas' }, removable: false },
    { name: 'Mine', owner: { username: 'anna' }, removable: true },
  ])
})

test('only the owner removes a view, and an administrator a shared one', async () => {
  const { jonas, anna, admin } = await scene()
  const own = await saves(jonas, 'Mine')
  const shared = await saves(jonas, 'For all', { shared: true })
  for (const caller of [anna, admin]) await expect(removes(caller, own.id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(removes(anna, shared.id)).rejects.toMatchObject({ code: 'forbidden' })
  await removes(admin, shared.id)
  await removes(jonas, own.id)
  expect(await names(jonas)).toEqual([])
  await expect(removes(jonas, own.id)).rejects.toMatchObject({ code: 'not_found' })
})

test('each list has views of its own, for those who may read it', async () => {
  const { jonas } = await scene()
  const view = { list: 'executions', name: 'Large', search: { sort: 'amount' } }
  await execute(save, jonas, view, { name: 'savedViews.save' })
  await saves(jonas, 'Large')
  const { items } = await execute(list, jonas, { list: 'executions' }, { name: 'savedViews.list' })
  expect(items).toMatchObject([{ name: 'Large', search: { sort: 'amount' } }])

  const tenant = await testTenant(running)
  const machine = await tenant.as('machine', { roles: ['decisions:read'] })
  await execute(list, machine, { list: 'approvals' }, { name: 'savedViews.list' })
  await expect(execute(list, machine, { list: 'executions' }, { name: 'savedViews.list' })).rejects.toMatchObject({
    code: 'forbidden',
  })
  await expect(execute(save, machine, view, { name: 'savedViews.save' })).rejects.toMatchObject({ code: 'forbidden' })
})

test('there are at most fifty of a person, and filters have names and lengths', async () => {
  const { jonas } = await scene()
  for (let index = 0; index < 50; index++) await saves(jonas, `View ${index}`)
  await expect(saves(jonas, 'One more')).rejects.toMatchObject({ code: 'conflict' })
  await saves(jonas, 'View 7', { search: { q: 'again' } })
  for (const search of [
    { 'a b': 'x' },
    { q: 'x'.repeat(201) },
    Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${'x'.repeat(n)}`, '1'])),
  ])
    await expect(saves(jonas, 'View 1', { search })).rejects.toMatchObject({ code: 'validation_failed' })
})
