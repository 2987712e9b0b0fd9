import { createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { decodeJwt, exportJWK } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiError } from '#lib/errors.ts'
import { newId } from '#server/kernel/ids.ts'
import { currentSigningKey } from '#server/kernel/keys/signing-keys.ts'
import { type Forgery, forgeToken, patchToken } from '#server/testing/auth/forge.ts'
import { signIn } from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'
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
afterAll(() => server.close())

const keyOf = (realm: TestRealm) =>
  server.runtime.database.inTenant(realm.id, (tx) => currentSigningKey(tx, realm.id, 'realm'))

const forge = (changes: Partial<Forgery>): Promise<string> =>
  forgeToken(genuine, { key: northwindKey.privateKey, ...changes })

const patchwork = (header: object, claims?: object, signature?: string): string =>
  patchToken(genuine, header, claims, signature)

const now = () => Math.floor(Date.now() / 1000)

async function expectRefused(header: string): Promise<void> {
  const error = await verifyBearer(header).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ApiError)
  // Every caller gets the same message; the reason is for the log and contains nothing of the token.
  expect(error).toMatchObject({ code: 'unauthorized', message: 'The bearer token is missing, expired or invalid.' })
  const cause = error instanceof ApiError && error.cause instanceof Error ? error.cause : new Error('missing cause')
  expect(cause.message).not.toBe('missing cause')
  const sent = header.split(' ').pop() ?? ''
  if (sent.length > 20) expect(`${cause.message}${JSON.stringify(cause)}`).not.toContain(sent.slice(0, 20))
}

describe('accepted', () => {
  test('the genuine token, and a forgery signed with the realm’s own key', async () => {
    const token = await verifyBearer(`Bearer ${genuine}`)
    expect(token).toEqual({
      issuer: '/realms/northwind',
      subject: decodeJwt(genuine).sub,
      tenantExternalId: 'ext-northwind',
      roles: ['developer'],
      username: 'maria',
      issuedAt: decodeJwt(genuine).issued_at_ms,
      expiresAt: Number(decodeJwt(genuine).exp) * 1000,
      authorizedParty: 'countersign-cli',
      issuerTenant: 'ext-northwind',
      family: decodeJwt(genuine).token_family,
    })
    await expect(verifyBearer(`Bearer ${await forge({})}`)).resolves.toEqual(token)
  })

  test('any case of the scheme', async () => {
    await expect(verifyBearer(`bearer ${genuine}`)).resolves.toMatchObject({ username: 'maria' })
    await expect(verifyBearer(`BEARER ${genuine}`)).resolves.toMatchObject({ username: 'maria' })
  })

  test.each<[string, Partial<Forgery>, object]>([
    ['several audiences, including this API', { claims: { aud: ['account', 'countersign'] } }, {}],
    ['no tenant', { claims: { tenant: undefined } }, { tenantExternalId: undefined }],
    ['no roles', { claims: { realm_access: undefined } }, { roles: [] }],
    ['roles of another shape', { claims: { realm_access: { roles: 'tenant_admin' } } }, { roles: [] }],
    ['roles that are not text', { claims: { realm_access: { roles: [1, 'viewer', null] } } }, { roles: ['viewer'] }],
    ['roles in another claim', { claims: { realm_access: undefined, roles: ['tenant_admin'] } }, { roles: [] }],
    ['a clock that is slightly ahead', { claims: { nbf: now() + 3 } }, {}],
    [
      'no azp, as in another provider’s token for a service account',
      { claims: { azp: undefined } },
      { authorizedParty: 'countersign-cli' },
    ],
  ])('%s', async (_name, changes, expected) => {
    await expect(verifyBearer(`Bearer ${await forge(changes)}`)).resolves.toMatchObject(expected)
  })
})

describe('refused: the header', () => {
  test.each(['', 'Bearer', 'Bearer ', 'Basic bWFyaWE6eA==', 'Token x', 'Bearer x', 'Bearer null'])(
    '"%s"',
    async (header) => {
      await expectRefused(header)
    },
  )

  test('another form of the header', async () => {
    for (const header of [genuine, `Bearer  ${genuine}`, `Bearer\t${genuine}`, `Bearer ${genuine} `, `DPoP ${genuine}`])
      await expectRefused(header)
    await expectRefused(`Bearer ${genuine}, Bearer ${genuine}`)
    await expectRefused(`Bearer "${genuine}"`)
  })

  test('a token of another kind', async () => {
    await expectRefused(`Bearer ${idToken}`)
    await expectRefused(`Bearer ${refreshToken}`)
  })
})

describe('refused: another spelling', () => {
  test('of the signature, the payload and the header', async () => {
    const [header = '', payload = '', signature = ''] = genuine.split('.')
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const sibling = signature.slice(0, -1) + alphabet[alphabet.indexOf(signature.slice(-1)) ^ 1]
    expect(Buffer.from(sibling, 'base64url')).toEqual(Buffer.from(signature, 'base64url'))
    const spellings = [
      `${header}.${payload}.${sibling}`,
      `${header}.${payload}.${signature}==`,
      `${header}=.${payload}.${signature}`,
      `${header}.${payload}=.${signature}`,
      `${genuine}.`,
      `.${genuine}`,
      `${genuine}.${signature}`,
    ]
    for (const spelling of spellings) await expectRefused(`Bearer ${spelling}`)
  })
})

describe('refused: the signature', () => {
  test('of changed content', async () => {
    await expectRefused(`Bearer ${patchwork({}, { realm_access: { roles: ['tenant_admin'] } })}`)
    await expectRefused(`Bearer ${patchwork({}, { exp: now() + 10_000_000 })}`)
    await expectRefused(`Bearer ${patchwork({}, { sub: 'another-subject' })}`)
  })

  test('that was changed, cut, emptied or taken from another token', async () => {
    const [header, payload, signature = ''] = genuine.split('.')
    const flipped = Buffer.from(signature, 'base64url')
    flipped.writeUInt8(flipped.readUInt8(10) ^ 1, 10)
    const zero = Buffer.alloc(64).toString('base64url')
    const cut = Buffer.from(signature, 'base64url').subarray(0, 63).toString('base64url')
    const other = idToken.split('.')[2]
    for (const changed of [flipped.toString('base64url'), zero, cut, other, 'AA'])
      await expectRefused(`Bearer ${header}.${payload}.${changed}`)
  })

  test('by a stranger’s key, under the key id of the realm', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    await expectRefused(`Bearer ${await forge({ key: privateKey })}`)
  })

  test('by the key of another realm', async () => {
    await expectRefused(`Bearer ${await forge({ key: globexKey.privateKey })}`)
    await expectRefused(`Bearer ${await forge({ key: globexKey.privateKey, header: { kid: globexKey.id } })}`)
  })

  test('by a key included in the token', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwk = { ...(await exportJWK(publicKey)) }
    const header = { jwk, kid: undefined }
    await expectRefused(`Bearer ${await forge({ key: privateKey, header })}`)
    await expectRefused(`Bearer ${await forge({ key: privateKey, header: { jwk } })}`)
    await expectRefused(`Bearer ${await forge({ key: privateKey, header: { jku: 'https://evil.example/keys' } })}`)
  })
})

describe('refused: the algorithm', () => {
  test('none', async () => {
    await expectRefused(`Bearer ${patchwork({ alg: 'none' })}`)
    await expectRefused(`Bearer ${patchwork({ alg: 'none' }, {}, '')}`)
    await expectRefused(`Bearer ${patchwork({ alg: 'None' }, {}, 'AA')}`)
  })

  test('HMAC with the public key as the secret', async () => {
    const pem = northwindKey.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    await expectRefused(`Bearer ${await forge({ header: { alg: 'HS256' }, key: createSecretKey(Buffer.from(pem)) })}`)
  })

  test('another algorithm, with a key that fits it', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    const ed25519 = generateKeyPairSync('ed25519').privateKey
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey
    for (const [alg, key] of [
      ['RS256', rsa],
      ['EdDSA', ed25519],
      ['ES384', p384],
    ] as const)
      await expectRefused(`Bearer ${await forge({ header: { alg }, key })}`)
  })

  test.each(['es256', 'ES512', 'ES256K', '', 7, null])('a name that the realm does not sign with: %s', async (alg) => {
    await expectRefused(`Bearer ${patchwork({ alg })}`)
  })
})

describe('refused: a token signed by the realm’s own key', () => {
  test.each<[string, Record<string, unknown>]>([
    ['no type', { typ: undefined }],
    ['the type of an id_token', { typ: 'JWT' }],
    ['the type of a logout token', { typ: 'logout+jwt' }],
    ['Keycloak’s type, which the product’s realms do not issue', { typ: 'Bearer' }],
    ['no key id', { kid: undefined }],
    ['an unknown key id', { kid: newId() }],
    ['a key id that is a list', { kid: ['x'] }],
    ['a key id that is a property of the prototype', { kid: '__proto__' }],
    ['an extension that must be understood', { crit: ['exp'], exp: 1 }],
  ])('with %s', async (_name, header) => {
    const token = 'crit' in header || Array.isArray(header.kid) ? patchwork(header) : await forge({ header })
    await expectRefused(`Bearer ${token}`)
  })

  test.each<[string, Record<string, unknown> | (() => Record<string, unknown>)]>([
    ['no issuer', { iss: undefined }],
    ['an issuer that is a list', () => ({ iss: [northwind.realmUrl] })],
    ['the issuer with a slash', () => ({ iss: `${northwind.realmUrl}/` })],
    ['the issuer with a query', () => ({ iss: `${northwind.realmUrl}?x` })],
    ['the issuer in capitals', () => ({ iss: northwind.realmUrl.toUpperCase() })],
    ['the issuer’s path alone', { iss: '/realms/northwind' }],
    ['the issuer on another host', { iss: 'https://evil.example/realms/northwind' }],
    [
      'the issuer on a host whose name starts with this host’s',
      () => ({ iss: `${server.url}.evil.example/realms/northwind` }),
    ],
    ['another realm of this server as issuer', () => ({ iss: globex.realmUrl })],
    ['a realm that does not exist', () => ({ iss: `${server.url}/realms/nowhere` })],
    ['a realm with dots', () => ({ iss: `${server.url}/realms/../realms/northwind` })],
    ['no audience', { aud: undefined }],
    ['another audience', { aud: 'account' }],
    ['an empty audience', { aud: [] }],
    ['an audience that only starts with this API’s', { aud: 'countersign-evil' }],
    ['an audience of another case', { aud: 'Countersign' }],
    ['no expiry', { exp: undefined }],
    ['an expiry as text', () => ({ exp: String(now() + 1000) })],
    ['an expiry a second ago', () => ({ exp: now() - 1 })],
    ['an expiry now', () => ({ exp: now() })],
    ['nbf in a minute', () => ({ nbf: now() + 60 })],
    ['nbf as text', { nbf: 'now' }],
    ['no time of issue', { iat: undefined }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a subject that is a number', { sub: 7 }],
    ['another tenant than the realm’s', { tenant: 'ext-globex' }],
    ['a tenant that is a list', { tenant: ['ext-northwind'] }],
    ['an empty tenant', { tenant: '' }],
    ['a binding to a key', { cnf: { jkt: 'x' } }],
    ['a binding to a certificate', { cnf: { 'x5t#S256': 'x' } }],
    ['a binding of an unknown kind', { cnf: null }],
  ])('with %s', async (_name, claims) => {
    await expectRefused(`Bearer ${await forge({ claims: typeof claims === 'function' ? claims() : claims })}`)
  })

  test('that is longer than 16 KiB', async () => {
    await expect(verifyBearer(`Bearer ${await forge({ claims: { note: 'x'.repeat(8000) } })}`)).resolves.toBeDefined()
    await expectRefused(`Bearer ${await forge({ claims: { note: 'x'.repeat(16_000) } })}`)
  })
})
