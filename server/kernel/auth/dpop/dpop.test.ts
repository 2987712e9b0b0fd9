// Longer than other files because it is a list: proofs that must be refused, case by case.
import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, exportJWK } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admitCaller } from '#server/kernel/auth/admit.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { currentSigningKey } from '#server/kernel/keys/signing-keys.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { api } from '#server/routes.ts'
import { newProver, type Prover } from '#server/testing/auth/dpop.ts'
import { forgeToken } from '#server/testing/auth/forge.ts'
import { type Jwt, malformedSignatures, misreadings, signJwt, twinOf } from '#server/testing/auth/misread.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'

const base = 'https://countersign.example'
const path = '/v1/session.me'
const url = `${base}${path}`

let server: IdentityServer
let northwind: TestRealm
let secret: string
let prover: Prover
let bound: string
let plain: string

beforeAll(async () => {
  server = await identityServer({ BASE_URL: base })
  northwind = await testRealm(server, 'northwind')
  secret = (await northwind.service('ci-pipeline', ['developer'])).clientSecret
  prover = await newProver()
  bound = await tokenFor(prover)
  plain = await tokenFor(undefined)
})
afterAll(() => server.close())

async function tokenFor(holder: Prover | undefined): Promise<string> {
  const tokenUrl = `${northwind.realmUrl}/protocol/openid-connect/token`
  const response = await fetch(tokenUrl, {
    method: 'POST',
    headers: holder === undefined ? {} : { dpop: await holder.prove({ method: 'POST', url: tokenUrl }) },
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: 'ci-pipeline', client_secret: secret }),
  })
  const { access_token, token_type } = (await response.json()) as { access_token: string; token_type: string }
  expect(token_type).toBe(holder === undefined ? 'Bearer' : 'DPoP')
  return access_token
}

/** A request from a client behind a proxy: the host that the server sees differs from the one that the client used. */
const call = (headers: Record<string, string>, init: RequestInit = {}, at = path) =>
  Promise.resolve(api.fetch(new Request(`http://10.0.0.7:3000${at}`, { ...init, headers })))

const prove = (claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}) =>
  prover.prove({ url, accessToken: bound }, { claims, header })

const send = async (dpop: string, authorization = `DPoP ${bound}`) => call({ authorization, dpop })

/** A proof as its parts, for a signature that is not the prover's. */
const proofToSign = async (): Promise<Jwt> => {
  const dpop = await prove()
  return { header: { ...decodeProtectedHeader(dpop) }, payload: decodeJwt(dpop), key: prover.privateKey }
}

async function expectRefused(response: Response, error: string, scheme = 'DPoP') {
  expect(response.status).toBe(401)
  const challenge = response.headers.get('www-authenticate') ?? ''
  expect(challenge).toContain(`${scheme} realm="countersign", error="${error}"`)
  expect(challenge).toContain('algs="ES256 Ed25519 EdDSA"')
}

const now = () => Math.floor(Date.now() / 1000)

describe('a bound token with its proof', () => {
  test('is accepted', async () => {
    const response = await send(await prove())
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('ci-pipeline')
  })

  test('is accepted with an Ed25519 key, too', async () => {
    const other = await newProver('EdDSA')
    const token = await tokenFor(other)
    const dpop = await other.prove({ url, accessToken: token })
    expect((await call({ authorization: `DPoP ${token}`, dpop })).status).toBe(200)
  })

  test.each<[string, () => Record<string, unknown>]>([
    ['the address with a query and a fragment', () => ({ htu: `${url}?batch=1#x` })],
    ['the host in capitals', () => ({ htu: url.replace('countersign.example', 'COUNTERSIGN.Example') })],
    ['the explicit default port', () => ({ htu: url.replace('.example', '.example:443') })],
    ['a clock that is slightly behind', () => ({ iat: now() - 50 })],
    ['a clock that is slightly ahead', () => ({ iat: now() + 3 })],
    ['an expiry', () => ({ exp: now() + 60 })],
  ])('may have %s', async (_name, claims) => {
    expect((await send(await prove(claims()))).status).toBe(200)
  })

  test('is accepted with the scheme in any case, a query in the request, and another method', async () => {
    expect((await send(await prove(), `dpop ${bound}`)).status).toBe(200)
    const query = `${path}?input=${encodeURIComponent('{"json":null}')}`
    expect((await call({ authorization: `DPoP ${bound}`, dpop: await prove() }, {}, query)).status).toBe(200)
    const body = JSON.stringify({ json: {} })
    const post = {
      authorization: `DPoP ${bound}`,
      dpop: await prove({ htm: 'POST' }),
      'content-type': 'application/json',
    }
    expect((await call(post, { method: 'POST', body })).status).toBe(200)
  })

  test('is answered with both ways of authenticating if the credentials are missing', async () => {
    const response = await call({})
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="countersign", DPoP realm="countersign", algs="ES256 Ed25519 EdDSA"',
    )
  })
})

describe('without a valid proof', () => {
  test('a bound token is refused: as plain Bearer, with no proof, with an empty one, with two', async () => {
    await expectRefused(await call({ authorization: `Bearer ${bound}` }), 'invalid_token', 'Bearer')
    await expectRefused(
      await call({ authorization: `Bearer ${bound}`, dpop: await prove() }),
      'invalid_token',
      'Bearer',
    )
    await expectRefused(await call({ authorization: `DPoP ${bound}` }), 'invalid_dpop_proof')
    await expectRefused(await send(''), 'invalid_dpop_proof')
    await expectRefused(await send(`${await prove()}, ${await prove()}`), 'invalid_dpop_proof')
  })

  test('an unbound token is not accepted as a DPoP token, with any proof', async () => {
    const dpop = await prover.prove({ url, accessToken: plain })
    await expectRefused(await call({ authorization: `DPoP ${plain}`, dpop }), 'invalid_dpop_proof')
    expect((await call({ authorization: `Bearer ${plain}` })).status).toBe(200)
  })

  test('a proof of another key is refused, even with a token of the same client', async () => {
    const thief = await newProver()
    const dpop = await thief.prove({ url, accessToken: bound })
    await expectRefused(await call({ authorization: `DPoP ${bound}`, dpop }), 'invalid_dpop_proof')
  })

  test('a token with a forged signature is refused as an invalid token', async () => {
    const [header, payload] = bound.split('.')
    const forged = `${header}.${payload}.${'A'.repeat(86)}`
    await expectRefused(await send(await prove(), `DPoP ${forged}`), 'invalid_token')
  })

  test('a member of the confirmation that is not a registered method is ignored, such as Keycloak’s', async () => {
    const { privateKey } = await server.runtime.database.inTenant(northwind.id, (tx) =>
      currentSigningKey(tx, northwind.id, 'realm'),
    )
    const cnf = { jkt: prover.thumbprint, 'kc-jkt-type': 'DPoP' }
    const token = await forgeToken(bound, { claims: { cnf }, key: privateKey })
    const dpop = await prover.prove({ url, accessToken: token })
    expect((await call({ authorization: `DPoP ${token}`, dpop })).status).toBe(200)
  })

  test.each<[string, unknown]>([
    ['an additional certificate', { jkt: 'own', 'x5t#S256': 'x' }],
    ['an additional key', { jkt: 'own', jwk: {} }],
    ['a certificate instead', { 'x5t#S256': 'x' }],
    ['no thumbprint', {}],
    ['a thumbprint that is a list', { jkt: ['own'] }],
    ['a text', 'own'],
    ['null', null],
  ])('a token whose confirmation is %s is not bound to the key', async (_name, confirmation) => {
    const { privateKey } = await server.runtime.database.inTenant(northwind.id, (tx) =>
      currentSigningKey(tx, northwind.id, 'realm'),
    )
    const cnf = JSON.parse(JSON.stringify(confirmation).replace('own', prover.thumbprint))
    const token = await forgeToken(bound, { claims: { cnf }, key: privateKey })
    const dpop = await prover.prove({ url, accessToken: token })
    await expectRefused(await call({ authorization: `DPoP ${token}`, dpop }), 'invalid_dpop_proof')
  })
})

describe('a proof is refused', () => {
  test.each<[string, Record<string, unknown> | (() => Record<string, unknown>)]>([
    ['for another method', { htm: 'POST' }],
    ['for the method in lower case', { htm: 'get' }],
    ['for no method', { htm: undefined }],
    ['for another path', { htu: `${base}/v1/agents.list` }],
    ['for the path with a slash', { htu: `${url}/` }],
    ['for the address that the server sees', { htu: `http://10.0.0.7:3000${path}` }],
    ['for another host', { htu: `https://evil.example${path}` }],
    ['for another scheme', { htu: `http://countersign.example${path}` }],
    ['for another port', { htu: `https://countersign.example:8443${path}` }],
    ['for an address with a user', { htu: `https://x@countersign.example${path}` }],
    ['for a path alone', { htu: path }],
    ['for no address', { htu: undefined }],
    ['for an address that is a list', { htu: [url] }],
    ['made two minutes ago', () => ({ iat: now() - 120 })],
    ['made a minute in the future', () => ({ iat: now() + 60 })],
    ['without a time', { iat: undefined }],
    ['with a time that is text', () => ({ iat: String(now()) })],
    ['that has expired', () => ({ exp: now() - 1 })],
    ['that is not valid yet', () => ({ nbf: now() + 60 })],
    ['without an id', { jti: undefined }],
    ['with an empty id', { jti: '' }],
    ['with an id that is a number', { jti: 7 }],
    ['with a long id', { jti: 'x'.repeat(257) }],
    ['for no token', { ath: undefined }],
    ['for another token', { ath: 'x'.repeat(43) }],
    ['with an unknown nonce', { nonce: 'x' }],
  ])('%s', async (_name, claims) => {
    await expectRefused(await send(await prove(typeof claims === 'function' ? claims() : claims)), 'invalid_dpop_proof')
  })

  test.each<[string, () => Record<string, unknown>]>([
    ['of another type', () => ({ typ: 'JWT' })],
    ['without a type', () => ({ typ: undefined })],
    ['without its key', () => ({ jwk: undefined })],
    ['with a key that is text', () => ({ jwk: 'x' })],
    ['with its private key', () => ({ jwk: prover.privateKey.export({ format: 'jwk' }) })],
    ['with a key that is a shared secret', () => ({ jwk: { kty: 'oct', k: 'AAAA' } })],
    ['with a key on an unknown curve', () => ({ jwk: { ...prover.jwk, crv: 'P-257' } })],
    ['with a point that is not on the curve', () => ({ jwk: { ...prover.jwk, x: 'AAAA' } })],
    ['that refers to its key by address', () => ({ jwk: undefined, jku: 'https://evil.example/keys', kid: 'x' })],
  ])('%s', async (_name, header) => {
    await expectRefused(await send(await prove({}, header())), 'invalid_dpop_proof')
  })

  test('that is not signed, or not with a key pair', async () => {
    const [, payload] = (await prove()).split('.')
    const header = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const none = `${header({ alg: 'none', typ: 'dpop+jwt', jwk: prover.jwk })}.${payload}.`
    await expectRefused(await send(none), 'invalid_dpop_proof')
    const key = createSecretKey(Buffer.alloc(32))
    const jwk = { kty: 'oct', k: Buffer.alloc(32).toString('base64url') }
    const hmac = await prover.prove({ url, accessToken: bound }, { header: { alg: 'HS256', jwk }, key })
    await expectRefused(await send(hmac), 'invalid_dpop_proof')
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const rsaHeader = { alg: 'RS256', jwk: await exportJWK(rsa.publicKey) }
    const signed = await prover.prove({ url, accessToken: bound }, { header: rsaHeader, key: rsa.privateKey })
    await expectRefused(await send(signed), 'invalid_dpop_proof')
  })

  test('signed by another key than the one it contains', async () => {
    const { privateKey } = await newProver()
    const forged = await prover.prove({ url, accessToken: bound }, { key: privateKey })
    await expectRefused(await send(forged), 'invalid_dpop_proof')
  })

  test.each(Object.entries({ ...misreadings, ...malformedSignatures }))('with %s', async (_name, make) => {
    await expectRefused(await send(make(await proofToSign())), 'invalid_dpop_proof')
  })

  test('made for the token endpoint', async () => {
    const tokenUrl = `${northwind.realmUrl}/protocol/openid-connect/token`
    await expectRefused(await send(await prover.prove({ method: 'POST', url: tokenUrl })), 'invalid_dpop_proof')
  })

  test('longer than the limit', async () => {
    await expectRefused(await send(await prove({ note: 'x'.repeat(4096) })), 'invalid_dpop_proof')
  })
})

describe('a proof works only once', () => {
  test('for one of many concurrent requests', async () => {
    const dpop = await prove()
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(dpop)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 200))
      await expectRefused(answer, 'invalid_dpop_proof')
  })

  test('across nodes and restarts', async () => {
    const dpop = await prove()
    expect((await send(dpop)).status).toBe(200)
    const elsewhere = openDatabase(server.runtime.database.url, server.runtime.log)
    setRuntime({ ...server.runtime, database: elsewhere })
    try {
      await expectRefused(await send(dpop), 'invalid_dpop_proof')
      expect((await send(await prove())).status).toBe(200)
    } finally {
      setRuntime(server.runtime)
      await elsewhere.close()
    }
  })

  test('even if the second request selects another tenant', async () => {
    const globex = await testRealm(server, 'globex')
    const dpop = await prove()
    expect((await send(dpop)).status).toBe(200)
    const again = await call({
      authorization: `DPoP ${bound}`,
      dpop,
      'x-svc-tenant-external-id': globex.externalId,
    })
    await expectRefused(again, 'invalid_dpop_proof')
  })

  test('even with the other valid signature', async () => {
    const jwt = await proofToSign()
    const dpop = signJwt(jwt)
    expect((await send(dpop)).status).toBe(200)
    await expectRefused(await send(twinOf(dpop, jwt)), 'invalid_dpop_proof')
  })

  test('but the same id under another key is another proof', async () => {
    const other = await newProver()
    const token = await tokenFor(other)
    const claims = { jti: 'the-same-id' }
    expect((await send(await prove(claims))).status).toBe(200)
    const dpop = await other.prove({ url, accessToken: token }, { claims })
    expect((await call({ authorization: `DPoP ${token}`, dpop })).status).toBe(200)
    await expectRefused(await send(await prove(claims)), 'invalid_dpop_proof')
  })
})

test('a socket’s first message carries the proof, made for GET of its address', async () => {
  const first = (dpop: string) =>
    admitCaller({
      authorization: `DPoP ${bound}`,
      dpop,
      request: { method: 'GET', path: '/v1' },
      tenantExternalId: undefined,
      tenantId: undefined,
      requestId: 'socket',
    })
  const dpop = await prover.prove({ url: `${base}/v1`, accessToken: bound })
  await expect(first(dpop)).resolves.toMatchObject({ principal: { username: 'ci-pipeline' } })
  await expect(first(dpop)).rejects.toMatchObject({ code: 'unauthorized' })
  await expect(first(await prove())).rejects.toMatchObject({ code: 'unauthorized' })
})
