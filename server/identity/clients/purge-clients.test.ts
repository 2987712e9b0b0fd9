import { afterAll, beforeAll, expect, test } from 'vitest'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'
import { asOwner } from '#server/testing/owner.ts'
import { insertRegisteredClient } from './registered-client-store.ts'
import { noteClientUse, purgeClients } from './registration.ts'

let server: IdentityServer
let northwind: TestRealm
beforeAll(async () => {
  server = await identityServer()
  northwind = await testRealm(server, 'northwind')
})
afterAll(() => server.close())

test('removes registered clients that were not used for 30 days, and no others', async () => {
  const inTenant: typeof server.runtime.database.inTenant = (...args) => server.runtime.database.inTenant(...args)
  const ids = ['new', 'old', 'used']
  await inTenant(northwind.id, async (tx) => {
    for (const clientId of ids)
      await insertRegisteredClient(tx, {
        tenantId: northwind.id,
        clientId,
        name: null,
        redirectUris: ['https://vendor.example/callback'],
        renews: false,
      })
  })
  await asOwner(
    server.runtime,
    "update registered_clients set registered_at = now() - interval '31 days' where client_id <> 'new'",
  )
  await noteClientUse(northwind.id, 'used')
  await purgeClients(northwind.id)
  const left = await inTenant(northwind.id, (tx) =>
    tx.selectFrom('registeredClients').select('clientId').where('tenantId', '=', northwind.id).execute(),
  )
  expect(left.map(({ clientId }) => clientId).sort()).toEqual(['new', 'used'])
})
