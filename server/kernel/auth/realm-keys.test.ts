import { createPrivateKey, createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { CompactSign, decodeJwt, decodeProtectedHeader, exportJWK } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { ApiError } from '#lib/errors.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { createSigningKey, currentSigningKey } from '#server/kernel/keys/signing-keys.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'
import { signIn } from '#server/testing/sign-in.ts'
import { verifyBearer } from './bearer.ts'

let server: IdentityServer
let northwind: TestRealm
let globex: TestRealm
let genuine: string
let idToken: string
let refreshToken: string
let northwindKey: { id: string; privateKey: KeyObject; publicKey: KeyObject }
let globexKey: { id: string; privateKey: KeyObject }

beforeAll(async () => {
  server = await identityServer()
  northwind = await testRealm(server, 'northwind')
  globex = await testRealm(server, 'globex')
  const { password } = await northwind.person('maria', ['developer'])
  const tokens = await signIn(server.url, 'northwind', 'maria', password)
  genuine = tokens.accessToken
  idToken = tokens.idToken
  refreshToken = tokens.refreshToken
  northwindKey = await keyOf(northwind)
  globexKey = await keyOf(globex)
})
afterEach(() => vi.useRealTimers())
afterAll(() => server.close())

const keyOf = (realm: TestRealm) =>
  server.runtime.database.inTenant(realm.id, (tx) => currentSigningKey(tx, realm.id, 'realm'))

type Changes = {
  header?: Record<string, unknown>
  claims?: Record<string, unknown>
  key?: KeyObject
}

/** The genuine token with changes, signed by the realm's own key unless told otherwise. A claim set to undefined is left out. */
const forge = ({ header = {}, claims = {}, key = northwindKey.privateKey }: Changes): Promise<string> => {
  const payload = JSON.stringify({ ...decodeJwt(genuine), ...claims })
  const protectedHeader = { alg: 'ES256', ...decodeProtectedHeader(genuine), ...header }
  return new CompactSign(Buffer.from(payload)).setProtectedHeader(protectedHeader).sign(key)
}

/** As `forge`, for headers that no library would sign. */
const patchwork = (header: object, claims: object = {}, signature = genuine.split('.')[2]): string => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${encode({ ...decodeProtectedHeader(genuine), ...header })}.${encode({ ...decodeJwt(genuine), ...claims })}.${signature}`
}

const now = () => Math.floor(Date.now() / 1000)

async function expectRefused(header: string): Promise<void> {
  const error = await verifyBearer(header).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ApiError)
  // The same for everybody; the reason is for the log, and holds nothing of the token.
  expect(error).toMatchObject({ code: 'unauthorized', message: 'The bearer token is missing, expired or invalid.' })
  const cause = error instanceof ApiError && error.cause instanceof Error ? error.cause : new Error('no cause')
  expect(cause.message).not.toBe('no cause')
  const sent = header.split(' ').pop() ?? ''
  if (sent.length > 20) expect(`${cause.message}${JSON.stringify(cause)}`).not.toContain(sent.slice(0, 20))
}

describe('keys', () => {
  test('made since the last look are found at once, then not looked for again for half a minute', async () => {
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
      return `Bearer ${await forge({ header: { kid: id }, key: createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })) })}`
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

  test('of a new tenant are found although it was asked for before it existed', async () => {
    const claims = { iss: `${server.url}/realms/initech`, tenant: 'ext-initech' }
    await expectRefused(`Bearer ${await forge({ claims })}`)
    const initech = await testRealm(server, 'initech')
    const { id, privateKey } = await keyOf(initech)
    const token = await forge({ claims, header: { kid: id }, key: privateKey })
    await expect(verifyBearer(`Bearer ${token}`)).resolves.toMatchObject({ issuer: '/realms/initech' })
  })

  test('that can’t be read are no refusal: the caller may try again', async () => {
    const unreachable = openDatabase('postgres://nobody@127.0.0.1:1/none', server.runtime.log)
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
