import { expect, test } from 'vitest'
import { TenantQueue } from './tenant-queue.ts'

/** Starts work that ends when it is told to, and records the order of the starts. */
function recorder(queue: TenantQueue) {
  const started: string[] = []
  const ends: (() => void)[] = []
  const submit = (tenant: string, name: string) =>
    queue.run(tenant, () => {
      started.push(name)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const endNext = async () => {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  return { started, submit, endNext }
}

test('tenants take turns, however much one of them has sent', async () => {
  const { started, submit, endNext } = recorder(new TenantQueue({ atOnce: 1, perTenant: 3 }))
  const all = [submit('a', 'a1'), submit('a', 'a2'), submit('a', 'a3'), submit('a', 'a4'), submit('b', 'b1')]
  for (let ended = 0; ended < all.length; ended++) await endNext()
  await Promise.all(all)
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'a4'])
})

test('a tenant without running work comes before one that has some', async () => {
  const { started, submit, endNext } = recorder(new TenantQueue({ atOnce: 2, perTenant: 3 }))
  const all = [submit('a', 'a1'), submit('a', 'a2'), submit('a', 'a3'), submit('b', 'b1')]
  await endNext()
  expect(started).toEqual(['a1', 'a2', 'b1'])
  for (let ended = 1; ended < all.length; ended++) await endNext()
  await Promise.all(all)
})

test('a tenant’s queue is bounded, and leaves room for others', async () => {
  const { submit, endNext } = recorder(new TenantQueue({ atOnce: 1, perTenant: 1 }))
  const all = [submit('a', 'a1'), submit('a', 'a2')]
  await expect(submit('a', 'a3')).rejects.toMatchObject({ code: 'rate_limited' })
  all.push(submit('b', 'b1'))
  for (let ended = 0; ended < 3; ended++) await endNext()
  await Promise.all(all)
})
