import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { CompactSign, decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '#server/kernel/ids.ts'
import { currentSigningKey } from '#server/kernel/keys/signing-keys.ts'
import { forgeToken } from '#server/testing/auth/forge.ts'
import { signIn } from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'
import { admitCaller } from './admit.ts'
import { verifyAccessToken, verifyBearer } from './bearer.ts'
import { checkSignatures } from './checked-signatures.ts'
import { parseCompactJws } from './gate.ts'

// The signature of a token is checked once, and nothing else about the token is remembered.

const verified = vi.spyOn(crypto.subtle, 'verify')
afterEach(() => {
  verified.mockClear()
  vi.useRealTimers()
})
afterAll(() => verified.mockRestore())

describe('a signature', () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const exp = Math.floor(Date.now() / 1000) + 600

  const signed = (claims: object = { exp }): Promise<string> =>
    new CompactSign(Buffer.from(JSON.stringify({ jti: newId(), ...claims })))
      .setProtectedHeader({ alg: 'ES256' })
      .sign(pair.privateKey)
  const under = (key: KeyObject) => ({ key, algorithms: ['ES256'] as const })
  const checker = (most = 10) => {
    const require = checkSignatures(most)
    return (compact: string, key = pair.publicKey) =>
      require(compact, parseCompactJws(compact) ?? { header: {}, payload: {} }, under(key))
  }

  test('is checked once for the same key, even if the key was loaded again', async () => {
    const check = checker()
    const token = await signed()
    const again = createPublicKey({ key: pair.publicKey.export({ format: 'jwk' }), format: 'jwk' })
    for (const key of [pair.publicKey, pair.publicKey, again]) await check(token, key)
    expect(verified).toHaveBeenCalledTimes(1)
  })

  test('does not count for another key, another algorithm or another token', async () => {
    const require = checkSignatures(10)
    const check = checker()
    const token = await signed()
    await check(token)
    await expect(check(token, other.publicKey)).rejects.toThrow()
    const parsed = parseCompactJws(token) ?? { header: {}, payload: {} }
    await require(token, parsed, under(pair.publicKey))
    await expect(require(token, parsed, { key: pair.publicKey, algorithms: ['ES384'] })).rejects.toThrow()
    const [head, , signature] = token.split('.')
    const [, body] = (await signed()).split('.')
    await expect(check(`${head}.${body}.${signature}`)).rejects.toThrow()
  })

  test('that is wrong is not remembered as right', async () => {
    const check = checker()
    const token = await signed()
    for (let index = 0; index < 2; index++) await expect(check(token, other.publicKey)).rejects.toThrow()
    await check(token)
  })

  test('is checked again after the token has expired, and for a token without an expiry', async () => {
    const check = checker()
    const [expiring, lasting] = [await signed(), await signed({})]
    for (const token of [expiring, expiring, lasting, lasting]) await check(token)
    expect(verified).toHaveBeenCalledTimes(3)
    vi.useFakeTimers({ toFake: ['Date'], now: exp * 1000 })
    await check(expiring)
    expect(verified).toHaveBeenCalledTimes(4)
  })

  test('is forgotten when more tokens than the limit came after it', async () => {
    const check = checker(2)
    const tokens = [await signed(), await signed(), await signed()]
    for (const token of tokens) await check(token)
    await check(tokens[2] ?? '')
    expect(verified).toHaveBeenCalledTimes(3)
    await check(tokens[0] ?? '')
    expect(verified).toHaveBeenCalledTimes(4)
  })
})

describe('a token whose signature is known', () => {
  let server: IdentityServer
  let northwind: TestRealm
  let genuine: string
  beforeAll(async () => {
    server = await identityServer()
    northwind = await testRealm(server, 'northwind')
    const { password } = await northwind.person('maria', ['developer'])
    genuine = (await signIn(server.url, 'northwind', 'maria', password)).accessToken
  })
  afterAll(() => server.close())

  const forge = async (claims: Record<string, unknown>) => {
    const { privateKey } = await server.runtime.database.inTenant(northwind.id, (tx) =>
      currentSigningKey(tx, northwind.id, 'realm'),
    )
    return await forgeToken(genuine, { key: privateKey, claims })
  }
  const refused = (call: Promise<unknown>) => expect(call).rejects.toMatchObject({ code: 'unauthorized' })
  const admitted = () =>
    admitCaller({
      authorization: `Bearer ${genuine}`,
      dpop: undefined,
      request: { method: 'GET', path: '/v1/tenants.current' },
      tenantExternalId: undefined,
      tenantId: undefined,
      requestId: newId(),
    })
  /** Twice: the second check is the remembered one. */
  const known = async (call: () => Promise<unknown>) => {
    await call()
    verified.mockClear()
    await call()
    expect(verified).not.toHaveBeenCalled()
  }

  test('is refused when it has expired', async () => {
    // A realm of its own: its keys are read at a time that the other tests have not reached.
    const globex = await testRealm(server, 'globex')
    const { password } = await globex.person('otto', ['developer'])
    const { accessToken } = await signIn(server.url, 'globex', 'otto', password)
    await known(() => verifyBearer(`Bearer ${accessToken}`))
    vi.useFakeTimers({ toFake: ['Date'], now: Number(decodeJwt(accessToken).exp) * 1000 })
    await refused(verifyBearer(`Bearer ${accessToken}`))
  })

  test('is refused without the proof of the key to which it is bound', async () => {
    const bound = await forge({ cnf: { jkt: 'x'.repeat(43) } })
    await known(() => verifyAccessToken(bound, 'DPoP'))
    await refused(verifyBearer(`Bearer ${bound}`))
  })

  test('is refused for another audience', async () => {
    const resource = `${server.url}/v1/mcp/t/ext-northwind/agent/server`
    const narrow = await forge({ aud: resource })
    await known(() => verifyAccessToken(narrow, 'Bearer', [resource]))
    await refused(verifyBearer(`Bearer ${narrow}`))
  })

  test('is refused at the next call after its member was suspended, or its rights were withdrawn', async () => {
    await known(admitted)
    const set = (change: { status?: string; tokensNotBefore?: Date | null }) =>
      server.runtime.database.inTenant(northwind.id, (tx) =>
        tx
          .updateTable('members')
          .set(change)
          .where('tenantId', '=', northwind.id)
          .where('username', '=', 'maria')
          .execute(),
      )
    await set({ status: 'suspended' })
    await expect(admitted()).rejects.toMatchObject({ code: 'tenant_access_denied' })
    await set({ status: 'active', tokensNotBefore: new Date(Date.now() + 60_000) })
    await refused(admitted())
    await set({ tokensNotBefore: null })
    await known(admitted)
  })

  test('is refused when its key is no longer published', async () => {
    await known(() => verifyBearer(`Bearer ${genuine}`))
    const withdrawn = new Date(Date.now() - 25 * 3_600_000)
    await server.runtime.database.inTenant(northwind.id, (tx) =>
      tx
        .updateTable('signingKeys')
        .set({ retiredAt: withdrawn })
        .where('tenantId', '=', northwind.id)
        .where('purpose', '=', 'realm')
        .execute(),
    )
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    await refused(verifyBearer(`Bearer ${genuine}`))
  })
})
