import { decodeProtectedHeader } from 'jose'
import { allowInsecureRequests, ClientSecretBasic, clientCredentialsGrant, discovery } from 'openid-client'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { verifyBearer } from '#server/kernel/auth/bearer.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { readTokens, refresh, signIn } from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, testRealm } from '#server/testing/identity-server.ts'

let server: IdentityServer
beforeAll(async () => {
  server = await identityServer({ TOKEN_ALGORITHM: 'RS256' })
})
afterEach(() => {
  setRuntime(server.runtime)
  vi.useRealTimers()
})
afterAll(() => server.close())

const algorithmsOf = async (realmUrl: string) => {
  const { keys } = (await (await fetch(`${realmUrl}/protocol/openid-connect/certs`)).json()) as {
    keys: { kty: string; alg: string; n?: string; d?: string }[]
  }
  expect(keys.filter((key) => 'd' in key || 'p' in key)).toEqual([])
  // 128 bits of security (NIST SP 800-57): 3,072 bits.
  for (const { n } of keys) if (n !== undefined) expect(Buffer.from(n, 'base64url')).toHaveLength(384)
  return keys.map(({ kty, alg }) => [kty, alg])
}

test('RS256 by configuration applies to tokens, id_tokens and published keys, for clients of every kind', async () => {
  const realm = await testRealm(server, 'northwind')
  const { password, userId } = await realm.person('maria', ['developer'])
  const { clientSecret } = await realm.service('ci-pipeline', ['developer'])
  const tokens = await signIn(server.url, 'northwind', 'maria', password)
  for (const token of [tokens.accessToken, tokens.idToken]) expect(decodeProtectedHeader(token).alg).toBe('RS256')
  await expect(verifyBearer(`Bearer ${tokens.accessToken}`)).resolves.toMatchObject({ subject: userId })
  expect(await algorithmsOf(realm.realmUrl)).toEqual([['RSA', 'RS256']])
  const options = { execute: [allowInsecureRequests] }
  const client = await discovery(
    new URL(realm.realmUrl),
    'ci-pipeline',
    { id_token_signed_response_alg: 'RS256' },
    ClientSecretBasic(clientSecret),
    options,
  )
  const { access_token } = await clientCredentialsGrant(client)
  await expect(verifyBearer(`Bearer ${access_token}`)).resolves.toMatchObject({ subject: 'ci-pipeline' })
})

test('a realm switches to the configured algorithm and back, and tokens signed before stay valid', async () => {
  const es256 = { ...server.runtime, config: { ...server.runtime.config, tokenAlgorithm: 'ES256' as const } }
  const realm = await testRealm(server, 'globex')
  const { password, userId } = await realm.person('anna', ['viewer'])
  const first = await signIn(server.url, 'globex', 'anna', password)
  expect(decodeProtectedHeader(first.accessToken).alg).toBe('RS256')
  // A realm is reopened after five minutes.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * 60_000 })
  setRuntime(es256)
  const second = await readTokens(await refresh(realm.realmUrl, first.refreshToken))
  expect(decodeProtectedHeader(second.accessToken).alg).toBe('ES256')
  expect(await algorithmsOf(realm.realmUrl)).toEqual([
    ['EC', 'ES256'],
    ['RSA', 'RS256'],
  ])
  for (const { accessToken } of [first, second])
    await expect(verifyBearer(`Bearer ${accessToken}`)).resolves.toMatchObject({ subject: userId })
})

test('another algorithm is rejected', () => {
  expect(() => loadConfig({ TOKEN_ALGORITHM: 'none' })).toThrow('TOKEN_ALGORITHM must be ES256 or RS256')
})
