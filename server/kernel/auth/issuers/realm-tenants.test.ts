import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { lookUpForStranger } from '#server/kernel/rate/lookups.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'
import { findRealmTenant } from './realm-tenants.ts'

let server: IdentityServer
let northwind: TestRealm
beforeAll(async () => {
  server = await identityServer()
  northwind = await testRealm(server, 'northwind')
})
afterEach(() => vi.useRealTimers())
afterAll(() => server.close())

test('a realm that a stranger names is read in turn with other strangers, and a known one without waiting', async () => {
  expect(await findRealmTenant('northwind')).toBe(northwind.externalId)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const others = Array.from({ length: 3 }, () => lookUpForStranger('realms', () => released))
  const unknown = findRealmTenant('unknown')
  expect(await Promise.race([unknown, setTimeout(500, 'waits')])).toBe('waits')
  // The known one has to be read again.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
  expect(await findRealmTenant('northwind')).toBe(northwind.externalId)
  release()
  await Promise.all(others)
  expect(await unknown).toBeUndefined()
})
