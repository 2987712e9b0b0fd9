import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { ApiError } from '#lib/errors.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { createSigningKey, currentSigningKey } from '#server/kernel/keys/signing-keys.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { type Forgery, forgeToken } from '#server/testing/auth/forge.ts'
import { signIn } from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'
import { verifyBearer } from './bearer.ts'

let server: IdentityServer
let northwind: TestRealm
let genuine: string

beforeAll(async () => {
  server = await identityServer()
  northwind = await testRealm(server, 'northwind')
  const { password } = await northwind.person('maria', ['developer'])
  genuine = (await signIn(server.url, 'northwind', 'maria', password)).accessToken
})
afterEach(() => vi.useRealTimers())
afterAll(() => server.close())

const keyOf = (realm: TestRealm) =>
  server.runtime.database.inTenant(realm.id, (tx) => currentSigningKey(tx, realm.id, 'realm'))

const forge = async (changes: Partial<Forgery>): Promise<string> =>
  forgeToken(genuine, { key: (await keyOf(northwind)).privateKey, ...changes })

const expectRefused = (header: string) => expect(verifyBearer(header)).rejects.toMatchObject({ code: 'unauthorized' })

describe('keys', () => {
  test('created since the last read are found immediately, then not searched for again for half a minute', async () => {
    const rotate = (realm: TestRealm) =>
      server.runtime.database.inTenant(realm.id, async (tx) => {
        await tx
          .updateTable('signingKeys')
          .set({ retiredAt: new Date() })
          .where('tenantId', '=', realm.id)
          .where('purpose', '=', 'realm')
          .where('retiredAt', 'is', null)
          .execute()
        await createSigningKey(tx, realm.id, 'realm')
      })
    const signed = async () => {
      const { id, privateKey } = await keyOf(northwind)
      return `Bearer ${await forge({ header: { kid: id }, key: privateKey })}`
    }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 })
    await expect(verifyBearer(`Bearer ${genuine}`)).resolves.toBeDefined()
    await rotate(northwind)
    const second = await signed()
    await expect(verifyBearer(second)).resolves.toMatchObject({ username: 'maria' })
    await expect(verifyBearer(`Bearer ${genuine}`)).resolves.toMatchObject({ username: 'maria' })
    await rotate(northwind)
    const third = await signed()
    await expectRefused(third)
    vi.setSystemTime(Date.now() + 30_000)
    await expect(verifyBearer(third)).resolves.toMatchObject({ username: 'maria' })
  })

  test('of a new tenant are found even if they were requested before it existed', async () => {
    const claims = { iss: `${server.url}/realms/initech`, tenant: 'ext-initech' }
    await expectRefused(`Bearer ${await forge({ claims })}`)
    const initech = await testRealm(server, 'initech')
    const { id, privateKey } = await keyOf(initech)
    const token = await forge({ claims, header: { kid: id }, key: privateKey })
    await expect(verifyBearer(`Bearer ${token}`)).resolves.toMatchObject({ issuer: '/realms/initech' })
  })

  test('that can’t be read are not a refusal: the caller may try again', async () => {
    const unreachable = openDatabase('postgres://user@127.0.0.1:1/none', server.runtime.log)
    setRuntime({ ...server.runtime, database: unreachable })
    try {
      const claims = { iss: `${server.url}/realms/unread` }
      const error = await verifyBearer(`Bearer ${await forge({ claims })}`).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Error)
      expect(error).not.toBeInstanceOf(ApiError)
    } finally {
      setRuntime(server.runtime)
      await unreachable.close()
    }
  })
})
