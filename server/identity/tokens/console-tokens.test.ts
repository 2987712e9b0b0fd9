import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeProof } from '#lib/dpop.ts'
import { verifyAccessToken, verifyBearer } from '#server/kernel/auth/bearer.ts'
import { verifyProof } from '#server/kernel/auth/dpop/proof.ts'
import { Browser } from '#server/testing/auth/browser.ts'
import { newProver, type Prover } from '#server/testing/auth/dpop.ts'
import {
  authorizationRequest,
  authorize,
  consoleClient,
  exchangeCode,
  type PublicClient,
  readTokens,
  refresh,
  signIn,
} from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'

let server: IdentityServer
let northwind: TestRealm
let maria: { userId: string; password: string }
let atConsole: PublicClient & { prover: Prover }

beforeAll(async () => {
  server = await identityServer()
  northwind = await testRealm(server, 'northwind')
  maria = await northwind.person('maria', ['developer'])
  atConsole = await consoleClient(server.url)
})
afterAll(() => server.close())

const signInAtConsole = () => signIn(server.url, 'northwind', 'maria', maria.password, { client: atConsole })
const tokenUrl = () => `${northwind.realmUrl}/protocol/openid-connect/token`
const stranger = async () => ({ ...atConsole, prover: await newProver() })

/** A code for the console, requested as oidc-client-ts does: bound to a key. */
async function boundCode() {
  const request = authorizationRequest(northwind.realmUrl, atConsole, { dpop_jkt: atConsole.prover.thumbprint })
  return { request, code: await authorize(new Browser(), request, 'maria', maria.password) }
}

describe('the console’s tokens', () => {
  test('are bound to its key and rejected as plain bearer tokens', async () => {
    const { accessToken } = await signInAtConsole()
    expect(decodeJwt(accessToken)).toMatchObject({
      azp: 'countersign-console',
      cnf: { jkt: atConsole.prover.thumbprint },
    })
    await expect(verifyBearer(`Bearer ${accessToken}`)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  test('are not issued without a proof', async () => {
    const { request, code } = await boundCode()
    const { clientId, redirectUri } = atConsole
    const answer = await exchangeCode({ ...request, client: { clientId, redirectUri } }, code)
    expect(answer.status).toBe(400)
    const { refreshToken } = await signInAtConsole()
    expect((await refresh(northwind.realmUrl, refreshToken, { clientId })).status).toBe(400)
  })

  test('are issued for a code, and renewed, only for the holder of the key', async () => {
    const stolen = await boundCode()
    expect((await exchangeCode({ ...stolen.request, client: await stranger() }, stolen.code)).status).toBe(400)
    const own = await boundCode()
    const { refreshToken } = await readTokens(await exchangeCode(own.request, own.code))
    expect((await refresh(northwind.realmUrl, refreshToken, await stranger())).status).toBe(400)
    expect((await refresh(northwind.realmUrl, refreshToken, atConsole)).status).toBe(200)
  })

  test('are issued to a browser whose clock is an hour off, which is asked for a nonce', async () => {
    const { request, code } = await boundCode()
    const late = { iat: Math.floor(Date.now() / 1000) - 3600 }
    const proof = async (claims: object) =>
      atConsole.prover.prove({ method: 'POST', url: tokenUrl() }, { claims: { ...late, ...claims } })
    const asked = await exchangeCode(request, code, {}, { dpop: await proof({}) })
    expect([asked.status, (await asked.json()).error]).toEqual([400, 'use_dpop_nonce'])
    const nonce = asked.headers.get('dpop-nonce')
    expect((await exchangeCode(request, code, {}, { dpop: await proof({ nonce }) })).status).toBe(200)
  })

  test('give access to userinfo with a proof, once', async () => {
    const { accessToken } = await signInAtConsole()
    const url = `${northwind.realmUrl}/protocol/openid-connect/userinfo`
    const headers = { authorization: `DPoP ${accessToken}`, dpop: await atConsole.prover.prove({ url, accessToken }) }
    const answer = await fetch(url, { headers })
    expect([answer.status, await answer.json()]).toMatchObject([200, { sub: maria.userId }])
    expect((await fetch(url, { headers })).status).toBe(401)
    expect((await fetch(url, { headers: { authorization: `Bearer ${accessToken}` } })).status).toBe(401)
  })
})

describe('the browser’s proofs (lib/dpop.ts)', () => {
  const url = 'https://countersign.example/v1/session.me'
  const request = { method: 'GET', path: '/v1/session.me', origin: 'https://countersign.example' }
  let keys: CryptoKeyPair
  let accessToken: string
  let confirmation: unknown

  beforeAll(async () => {
    keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])
    // The thumbprint comes from the provider itself: the code is exchanged with a proof that the browser made.
    const prove = async ({ url: address }: { url: string }) =>
      makeProof(keys, { method: 'POST', url: address }, '', Date.now())
    accessToken = (
      await signIn(server.url, 'northwind', 'maria', maria.password, {
        client: { ...atConsole, prover: { ...atConsole.prover, prove } },
      })
    ).accessToken
    confirmation = (await verifyAccessToken(accessToken)).claims.cnf
  })

  const make = (changes: { nonce?: string; url?: string; now?: number } = {}) =>
    makeProof(
      keys,
      { method: 'GET', url: changes.url ?? url, nonce: changes.nonce },
      accessToken,
      changes.now ?? Date.now(),
    )

  test('are accepted by the API for any query, and never repeat', async () => {
    const one = await verifyProof(await make({ url: `${url}?batch=1&input=%7B%7D#x` }), {
      accessToken,
      confirmation,
      request,
    })
    const two = await verifyProof(await make(), { accessToken, confirmation, request })
    expect(one.digest).not.toEqual(two.digest)
  })

  test.each<[string, { nonce?: string; url?: string; now?: number }]>([
    ['made for another address', { url: 'https://countersign.example/v1/agents.list' }],
    ['made for another origin', { url: 'https://evil.example/v1/session.me' }],
    ['made ten minutes ago', { now: Date.now() - 600_000 }],
    ['with an unknown nonce', { nonce: 'n' }],
  ])('%s are refused', async (_what, changes) => {
    const proof = verifyProof(await make(changes), { accessToken, confirmation, request })
    await expect(proof).rejects.toMatchObject({ code: 'unauthorized' })
  })

  test('of another token are refused', async () => {
    const proof = await makeProof(keys, { method: 'GET', url }, `${accessToken}x`, Date.now())
    await expect(verifyProof(proof, { accessToken, confirmation, request })).rejects.toMatchObject({
      code: 'unauthorized',
    })
  })
})
