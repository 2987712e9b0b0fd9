// Longer than other files because it is a table: each line is a token that must be refused over HTTP without any effect.
import { createSecretKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, exportJWK, SignJWT } from 'jose'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#server/kernel/ids.ts'
import { createSigningKey, currentSigningKey, signingKeys } from '#server/kernel/keys/signing-keys.ts'
import { api } from '#server/routes.ts'
import { newProver } from '#server/testing/auth/dpop.ts'
import { type Forgery, forgeToken, patchToken } from '#server/testing/auth/forge.ts'
import { type Jwt, malformedSignatures, misreadings, twinOf } from '#server/testing/auth/misread.ts'
import { signIn, type Tokens } from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'
import { connectAsOwner } from '#server/testing/owner.ts'

let server: IdentityServer
let northwind: TestRealm
let globex: TestRealm
let maria: Tokens
let genuine: string
let key: { id: string; privateKey: KeyObject; publicKey: KeyObject }
let globexKey: { id: string; privateKey: KeyObject }
let owner: Client

beforeAll(async () => {
  server = await identityServer()
  northwind = await testRealm(server, 'northwind')
  globex = await testRealm(server, 'globex')
  const { password } = await northwind.person('maria', ['developer'])
  await globex.person('maria', ['tenant_admin'])
  maria = await signIn(server.url, 'northwind', 'maria', password)
  genuine = maria.accessToken
  key = await keyOf(northwind)
  globexKey = await keyOf(globex)
  owner = await connectAsOwner(server.runtime)
})
afterAll(async () => {
  await owner.end()
  await server.close()
})

const keyOf = (realm: TestRealm, purpose: 'realm' | 'log' | 'evidence' = 'realm') =>
  server.runtime.database.inTenant(realm.id, (tx) => currentSigningKey(tx, realm.id, purpose))

const now = () => Math.floor(Date.now() / 1000)
const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const parts = () => genuine.split('.') as [header: string, payload: string, signature: string]
const forge = (changes: Partial<Forgery>) => forgeToken(genuine, { key: key.privateKey, ...changes })
/** A genuine signature by the realm's key over any two texts. */
const signed = (header: unknown, payload: unknown): string => {
  const input = `${encode(header)}.${encode(payload)}`
  const signature = sign('sha256', Buffer.from(input), { key: key.privateKey, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}
const header = () => decodeProtectedHeader(genuine)
const payload = () => decodeJwt(genuine)
/** The payload's JSON with raw text in place of `exp`, for numbers that JSON.stringify can't write. */
const withExp = (raw: string) => JSON.stringify(payload()).replace(/"exp":\d+/, `"exp":${raw}`)

/** An operation with an effect, to check that a refused call has none. */
let attempt = 0
const act = (authorization: string | undefined, headers: Record<string, string> = {}) => {
  attempt += 1
  const yaml = `metadata: { name: token-case-${attempt} }\nspec: { runtime: { observe: {} } }`
  return Promise.resolve(
    api.fetch(
      new Request(`${server.url}/v1/agents.create`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(authorization === undefined ? {} : { authorization }),
          ...headers,
        },
        body: JSON.stringify({ json: { yaml } }),
      }),
    ),
  )
}

/** The number of rows in each table, across all tenants. */
async function counts(): Promise<Record<string, number>> {
  tables ??= (
    await owner.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
    )
  ).rows.map(({ name }) => name)
  const each = tables.map((name) => `(select count(*)::int from ${name}) as ${name}`)
  const { rows } = await owner.query<Record<string, number>>(`select ${each.join(', ')}`)
  return rows[0] ?? {}
}
let tables: string[] | undefined

async function expectRefused(authorization: string): Promise<void> {
  const before = await counts()
  const response = await act(authorization)
  const body: unknown = await response.json()
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toContain('Bearer realm="countersign", error="invalid_token"')
  // Every refusal has the same message.
  expect(body).toEqual({
    error: {
      json: {
        message: 'The bearer token is missing, expired or invalid.',
        code: expect.any(Number),
        data: {
          code: 'UNAUTHORIZED',
          httpStatus: 401,
          path: 'agents.create',
          requestId: expect.any(String),
          reason: 'unauthorized',
          retryable: false,
        },
      },
    },
  })
  expect(await counts()).toEqual(before)
}

type Make = () => string | Promise<string>

function each(forgeries: Record<string, (jwt: Jwt) => string>): [string, Make][] {
  const jwt = () => ({ header: { ...header() }, payload: payload(), key: key.privateKey })
  return Object.entries(forgeries).map(([name, make]) => [name, () => make(jwt())])
}

const families: Record<string, [name: string, make: Make][]> = {
  'the structure': [
    ['one part', () => parts()[0]],
    ['two parts', () => `${parts()[0]}.${parts()[1]}`],
    ['four parts', () => `${genuine}.${parts()[2]}`],
    ['five parts', () => `${genuine}.${parts()[1]}.${parts()[2]}`],
    ['no header', () => `.${parts()[1]}.${parts()[2]}`],
    ['no payload', () => `${parts()[0]}..${parts()[2]}`],
    ['no signature', () => `${parts()[0]}.${parts()[1]}.`],
    ['only dots', () => '..'],
    ['parts in another order', () => `${parts()[1]}.${parts()[0]}.${parts()[2]}`],
    ['the JSON serialization', () => encode({ payload: parts()[1], protected: parts()[0], signature: parts()[2] })],
    ['a token inside a token', () => signed({ ...header(), cty: 'JWT' }, genuine)],
    ['a header that is an array', () => signed([header()], payload())],
    ['a payload that is an array', () => signed(header(), [payload()])],
    ['a payload that is null', () => signed(header(), null)],
    ['a payload that is not JSON', () => signed(header(), '{"sub":')],
    ['an API key’s text', () => `csk_${'a'.repeat(43)}`],
  ],
  'the spelling': [
    ['padding', () => `${genuine}=`],
    ['two paddings', () => `${genuine}==`],
    ['padding of the payload', () => `${parts()[0]}.${parts()[1]}=.${parts()[2]}`],
    ['a dot at the end', () => `${genuine}.`],
    ['standard base64 for base64url', () => `${parts()[0]}.${parts()[1]}.${'/'.repeat(84)}+w`],
    ['unused bits set', () => `${genuine.slice(0, -1)}${sibling(genuine.slice(-1))}`],
    ['percent encoding', () => genuine.replaceAll('.', '%2E')],
    ['quotation marks', () => `"${genuine}"`],
    ['two tokens', () => `${genuine},${genuine}`],
  ],
  'the algorithm': [
    ['none', () => patchToken(genuine, { alg: 'none' }, {}, '')],
    ['none, with a signature', () => patchToken(genuine, { alg: 'none' })],
    ['None', () => patchToken(genuine, { alg: 'None' })],
    ['nOnE', () => patchToken(genuine, { alg: 'nOnE' })],
    ['undefined', () => patchToken(genuine, { alg: undefined })],
    ['a list', () => patchToken(genuine, { alg: ['ES256'] })],
    ['lower case', () => patchToken(genuine, { alg: 'es256' })],
    ['HMAC with the public key as text', () => hmac(key.publicKey.export({ type: 'spki', format: 'pem' }).toString())],
    [
      'HMAC with the public key as text without its last line break',
      () => hmac(key.publicKey.export({ type: 'spki', format: 'pem' }).toString().trimEnd()),
    ],
    ['HMAC with the public key as bytes', () => hmac(key.publicKey.export({ type: 'spki', format: 'der' }))],
    ['HMAC with the public key as JWK', async () => hmac(JSON.stringify(await exportJWK(key.publicKey)))],
    ['HMAC with an empty key', () => hmac('')],
    ['RS256', () => forge({ header: { alg: 'RS256' }, key: rsa() })],
    ['PS256', () => forge({ header: { alg: 'PS256' }, key: rsa() })],
    ['ES384', () => forge({ header: { alg: 'ES384' }, key: ec('P-384') })],
    ['ES512', () => forge({ header: { alg: 'ES512' }, key: ec('P-521') })],
    ['EdDSA', () => forge({ header: { alg: 'EdDSA' }, key: generateKeyPairSync('ed25519').privateKey })],
    ['ES256 by name, a signature of P-384', () => patchToken(genuine, {}, {}, raw(96))],
  ],
  'the key': [
    [
      'included in the header',
      async () => forge({ key: stranger.privateKey, header: { jwk: await exportJWK(stranger.publicKey) } }),
    ],
    [
      'included in the header instead of an id',
      async () =>
        forge({ key: stranger.privateKey, header: { kid: undefined, jwk: await exportJWK(stranger.publicKey) } }),
    ],
    [
      'referred to by address',
      () => forge({ key: stranger.privateKey, header: { jku: `${server.url}/x`, kid: undefined } }),
    ],
    ['as a certificate', () => forge({ key: stranger.privateKey, header: { x5c: ['AAAA'], kid: undefined } })],
    ['as the address of a certificate', () => forge({ key: stranger.privateKey, header: { x5u: `${server.url}/x` } })],
    ['of a stranger', () => forge({ key: stranger.privateKey })],
    ['of another realm, under this realm’s id', () => forge({ key: globexKey.privateKey })],
    ['of another realm, under its own id', () => forge({ key: globexKey.privateKey, header: { kid: globexKey.id } })],
    ['of another realm, by its id alone', () => forge({ header: { kid: globexKey.id } })],
    [
      'of the log',
      async () => {
        const { id, privateKey } = await keyOf(northwind, 'log')
        return forge({ key: privateKey, header: { alg: 'EdDSA', kid: id } })
      },
    ],
    [
      'of the evidence',
      async () => {
        const { id, privateKey } = await keyOf(northwind, 'evidence')
        return forge({ key: privateKey, header: { alg: 'EdDSA', kid: id } })
      },
    ],
    ['without an id', () => forge({ header: { kid: undefined } })],
    ['with an unknown id', () => forge({ header: { kid: newId() } })],
    ['with an empty id', () => forge({ header: { kid: '' } })],
    ['with an id that traverses folders', () => forge({ header: { kid: '../../etc/passwd' } })],
    ['with an id that is SQL', () => forge({ header: { kid: `' or '1'='1` } })],
    ['with an id of a NUL', () => forge({ header: { kid: '\u0000' } })],
    ['with a long id', () => forge({ header: { kid: 'x'.repeat(10_000) } })],
    ['with an id that is a number', () => signed({ ...header(), kid: 7 }, payload())],
    ['with an id of the prototype', () => forge({ header: { kid: 'constructor' } })],
    ['that was retired more than a day ago', () => retiredToken],
  ],
  'the signature': [
    ['of another token', () => `${parts()[0]}.${parts()[1]}.${maria.idToken.split('.')[2]}`],
    ['of changed roles', () => patchToken(genuine, {}, { realm_access: { roles: ['tenant_admin'] } })],
    ['of another subject', () => patchToken(genuine, {}, { sub: newId() })],
    ['of a later expiry', () => patchToken(genuine, {}, { exp: now() + 3600 })],
    ['of zeros', () => patchToken(genuine, {}, {}, raw(64))],
    ['of r = 0', () => patchToken(genuine, {}, {}, Buffer.concat([Buffer.alloc(32), half(32)]).toString('base64url'))],
    ['of s = 0', () => patchToken(genuine, {}, {}, Buffer.concat([half(0), Buffer.alloc(32)]).toString('base64url'))],
    ['of ones', () => patchToken(genuine, {}, {}, Buffer.alloc(64, 0xff).toString('base64url'))],
    ['one byte short', () => patchToken(genuine, {}, {}, bytes().subarray(0, 63).toString('base64url'))],
    ['one byte long', () => patchToken(genuine, {}, {}, Buffer.concat([bytes(), Buffer.of(0)]).toString('base64url'))],
    [
      'in DER',
      () => {
        const input = `${parts()[0]}.${parts()[1]}`
        return `${input}.${sign('sha256', Buffer.from(input), key.privateKey).toString('base64url')}`
      },
    ],
    [
      'with one bit flipped',
      () => {
        const flipped = Buffer.from(bytes())
        flipped.writeUInt8(flipped.readUInt8(40) ^ 4, 40)
        return patchToken(genuine, {}, {}, flipped.toString('base64url'))
      },
    ],
  ],
  'the header': [
    ['an extension that must be understood', () => signed({ ...header(), crit: ['x'], x: 1 }, payload())],
    ['a critical claim that is known', () => signed({ ...header(), crit: ['exp'], exp: 1 }, payload())],
    ['a payload that is not encoded', () => signed({ ...header(), crit: ['b64'], b64: false }, payload())],
    ['no type', () => forge({ header: { typ: undefined } })],
    ['the type JWT', () => forge({ header: { typ: 'JWT' } })],
    ['Keycloak’s type in the header', () => forge({ header: { typ: 'Bearer' } })],
    ['the type of a logout token', () => forge({ header: { typ: 'logout+jwt' } })],
    ['the type of a proof', () => forge({ header: { typ: 'dpop+jwt' } })],
    ['the type of a client’s assertion', () => forge({ header: { typ: 'client-authentication+jwt' } })],
    ['a type with the right prefix', () => forge({ header: { typ: 'at+jwt;x' } })],
    ['a type that is a list', () => signed({ ...header(), typ: ['at+jwt'] }, payload())],
  ],
  'its reading': each(misreadings),
  'the form of its signature': each(malformedSignatures),
  'another kind': [
    ['an id_token', () => maria.idToken],
    ['a refresh token', () => maria.refreshToken],
    ['a proof of possession', async () => (await newProver()).prove({ url: server.url })],
    [
      'a client’s assertion',
      () =>
        new SignJWT({ iss: 'ci-pipeline', sub: 'ci-pipeline', aud: 'countersign' })
          .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.id })
          .setExpirationTime('5m')
          .setIssuedAt()
          .sign(stranger.privateKey),
    ],
    ['a bound token without its key', () => forge({ claims: { cnf: { jkt: 'x' } } })],
  ],
  'the issuer': [
    ['none', () => forge({ claims: { iss: undefined } })],
    ['a list', () => forge({ claims: { iss: [northwind.realmUrl] } })],
    ['another realm', () => forge({ claims: { iss: globex.realmUrl } })],
    ['with a slash', () => forge({ claims: { iss: `${northwind.realmUrl}/` } })],
    ['over TLS', () => forge({ claims: { iss: northwind.realmUrl.replace('http:', 'https:') } })],
    ['in capitals', () => forge({ claims: { iss: northwind.realmUrl.replace('localhost', 'LOCALHOST') } })],
    ['with a user', () => forge({ claims: { iss: northwind.realmUrl.replace('//', '//x@') } })],
    ['with dots', () => forge({ claims: { iss: `${server.url}/realms/globex/../northwind` } })],
    [
      'under another name of the host',
      () => forge({ claims: { iss: northwind.realmUrl.replace('localhost', '127.0.0.1') } }),
    ],
    ['as members record it', () => forge({ claims: { iss: '/realms/northwind' } })],
    ['a realm that does not exist', () => forge({ claims: { iss: `${server.url}/realms/nowhere` } })],
    ['an untrusted provider', () => forge({ claims: { iss: 'https://idp.example/realms/northwind' } })],
    ['with a NUL', () => forge({ claims: { iss: `${northwind.realmUrl}\u0000` } })],
  ],
  'the audience': [
    ['none', () => forge({ claims: { aud: undefined } })],
    ['another API', () => forge({ claims: { aud: 'account' } })],
    ['several others', () => forge({ claims: { aud: ['account', 'elsewhere'] } })],
    ['the console', () => forge({ claims: { aud: 'countersign-console' } })],
    ['a prefix of this API’s', () => forge({ claims: { aud: 'counter' } })],
    ['this API’s with a suffix', () => forge({ claims: { aud: 'countersign account' } })],
    ['a number', () => forge({ claims: { aud: 7 } })],
    ['an object', () => forge({ claims: { aud: { countersign: true } } })],
    ['an empty list', () => forge({ claims: { aud: [] } })],
  ],
  'the time': [
    ['a past expiry', () => forge({ claims: { exp: now() - 1 } })],
    ['an expiry long ago', () => forge({ claims: { exp: 1 } })],
    ['an expiry now', () => forge({ claims: { exp: now() } })],
    ['an expiry as text', () => forge({ claims: { exp: String(now() + 60) } })],
    ['an expiry that is a list', () => forge({ claims: { exp: [now() + 60] } })],
    ['an infinite expiry', () => signed(header(), withExp('1e400'))],
    ['an expiry of null', () => forge({ claims: { exp: null } })],
    ['no expiry', () => forge({ claims: { exp: undefined } })],
    ['a life of more than a day', () => forge({ claims: { exp: now() + 86_500 } })],
    ['nbf in a minute', () => forge({ claims: { nbf: now() + 60 } })],
    ['nbf as text', () => forge({ claims: { nbf: String(now()) } })],
    ['iat in a minute', () => forge({ claims: { iat: now() + 60 } })],
    ['no time of issue', () => forge({ claims: { iat: undefined } })],
    ['a time of issue as text', () => forge({ claims: { iat: String(now()) } })],
  ],
  'the claims': [
    ['no subject', () => forge({ claims: { sub: undefined } })],
    ['an empty subject', () => forge({ claims: { sub: '' } })],
    ['a subject that is a list', () => forge({ claims: { sub: [payload().sub] } })],
    ['a subject with a NUL', () => forge({ claims: { sub: `${payload().sub}\u0000` } })],
    ['a long subject', () => forge({ claims: { sub: 'x'.repeat(256) } })],
    ['another tenant', () => forge({ claims: { tenant: 'ext-globex' } })],
    ['a tenant that is a list', () => forge({ claims: { tenant: ['ext-northwind'] } })],
    ['an empty tenant', () => forge({ claims: { tenant: '' } })],
    ['a tenant in another case', () => forge({ claims: { tenant: 'EXT-NORTHWIND' } })],
    ['a family that has ended', () => forge({ claims: { token_family: 'ended' } })],
    ['a tenant of null', () => forge({ claims: { tenant: null } })],
  ],
}

const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })
let retiredToken: string

const sibling = (last: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet[alphabet.indexOf(last) ^ 1] ?? ''
}
const bytes = () => Buffer.from(parts()[2], 'base64url')
const half = (from: number) => bytes().subarray(from, from + 32)
const raw = (length: number) => Buffer.alloc(length).toString('base64url')
const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey
const hmac = (secret: string | Buffer) =>
  forge({ header: { alg: 'HS256' }, key: createSecretKey(Buffer.from(secret)) }).catch(() =>
    // The library does not sign with an empty secret, so this case is a token with an arbitrary tag.
    patchToken(genuine, { alg: 'HS256' }, {}, raw(32)),
  )

beforeAll(async () => {
  const initech = await testRealm(server, 'initech')
  const old = await keyOf(initech)
  await owner.query(`update signing_keys set retired_at = now() - interval '25 hours' where id = $1`, [old.id])
  await server.runtime.database.inTenant(initech.id, (tx) => createSigningKey(tx, initech.id, 'realm'))
  retiredToken = await forge({
    key: old.privateKey,
    header: { kid: old.id },
    claims: { iss: initech.realmUrl, tenant: initech.externalId, token_family: undefined },
  })
  expect(await server.runtime.database.inTenant(initech.id, (tx) => signingKeys(tx, initech.id, 'realm'))).toHaveLength(
    2,
  )
})

test('the table has at least a hundred cases', () => {
  expect(Object.values(families).flat().length).toBeGreaterThanOrEqual(100)
})

describe.each(Object.entries(families))('a token is refused with 401 and without effect, for %s', (_family, cases) => {
  test.each(cases)('%s', async (_name, make) => {
    await expectRefused(`Bearer ${await make()}`)
  })
})

describe('a token is accepted without the faults above', () => {
  test.each<[string, Make]>([
    ['the genuine token', () => genuine],
    ['the same, signed again', () => forge({})],
    [
      'its other valid signature',
      () => twinOf(genuine, { header: { alg: 'ES256' }, payload: {}, key: key.privateKey }),
    ],
    ['its parts, signed by hand', () => signed(header(), payload())],
    ['with an additional audience', () => forge({ claims: { aud: ['account', 'countersign'] } })],
    ['with the type in capitals and in full', () => forge({ header: { typ: 'application/AT+JWT' } })],
    ['with an expiry in a moment', () => forge({ claims: { exp: now() + 30 } })],
    ['with a clock slightly ahead', () => forge({ claims: { iat: now() + 3, nbf: now() + 3 } })],
    ['with a fractional number as its expiry', () => signed(header(), withExp(`${now() + 30}.5`))],
    ['with additional unknown claims', () => forge({ claims: { jwk: {}, crit: ['x'] } })],
  ])('%s', async (_name, make) => {
    const before = await counts()
    const response = await act(`Bearer ${await make()}`)
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"agentId"')])
    const after = await counts()
    expect([after.agents, after.audit_records]).toEqual([(before.agents ?? 0) + 1, (before.audit_records ?? 0) + 1])
  })

  test('signed with a retired key for another day, so that a rotation disturbs no one', async () => {
    const hooli = await testRealm(server, 'hooli')
    const old = await keyOf(hooli)
    const { userId } = await hooli.person('maria', ['developer'])
    await owner.query(`update signing_keys set retired_at = now() - interval '1 hour' where id = $1`, [old.id])
    const claims = { iss: hooli.realmUrl, tenant: hooli.externalId, sub: userId, token_family: undefined }
    const token = await forge({ key: old.privateKey, header: { kid: old.id }, claims })
    expect((await act(`Bearer ${token}`)).status).toBe(200)
  })
})

describe('a subject without an active membership is refused', () => {
  test.each(['suspended', 'removed', 'invited'])(
    'with 403 from the next request when %s, with the same token',
    async (status) => {
      const name = `was-${status}`
      const { userId, password } = await northwind.person(name, ['developer'])
      const { accessToken } = await signIn(server.url, 'northwind', name, password)
      expect((await act(`Bearer ${accessToken}`)).status).toBe(200)
      await owner.query('update members set status = $2 where subject = $1', [userId, status])
      const before = await counts()
      const response = await act(`Bearer ${accessToken}`)
      expect([response.status, await response.text()]).toEqual([403, '{"error":"Tenant access denied"}'])
      expect(await counts()).toEqual(before)
    },
  )

  test('if it was never a member, or has the name of a member of another realm', async () => {
    const unknown = await act(`Bearer ${await forge({ claims: { sub: newId() } })}`)
    expect([unknown.status, await unknown.text()]).toEqual([403, '{"error":"Tenant access denied"}'])
    const selected = await act(`Bearer ${genuine}`, { 'x-svc-tenant-external-id': 'ext-globex' })
    expect([selected.status, await selected.text()]).toEqual([403, '{"error":"Tenant access denied"}'])
  })
})
