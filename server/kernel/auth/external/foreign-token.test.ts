import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TenantSettings } from '#lib/schemas/tenants.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import {
  type ForeignIssuer,
  foreignIssuer,
  newPair,
  type SigningPair,
  serviceAccount,
  type TokenOptions,
} from '#server/testing/fakes/foreign-issuer.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { verifyBearer } from '../bearer.ts'
import { rolesNamed } from '../effective-roles.ts'

// Tokens in Keycloak's format, from realms at AUTH_URL.

let keycloak: ForeignIssuer
let close: () => Promise<void>
let unpublished: SigningPair
let ed25519: SigningPair

beforeAll(async () => {
  keycloak = await foreignIssuer()
  const runtime = await testRuntime()
  close = runtime.close
  setRuntime({ ...runtime, config: loadConfig({ AUTH_URL: keycloak.origin, LOG_LEVEL: 'silent' }) })
  await testTenant(runtime, 'northwind')
  await testTenant(runtime, 'globex')
  unpublished = await newPair()
  ed25519 = await newPair('EdDSA')
  keycloak.keys.push(ed25519, await newPair('ES256'))
})
afterAll(async () => {
  await close()
  await keycloak.close()
})

const verify = async (claims: Record<string, unknown> = {}, options?: TokenOptions) =>
  verifyBearer(`Bearer ${await keycloak.token('northwind', claims, options)}`)

const now = () => Math.floor(Date.now() / 1000)

describe('Keycloak’s token', () => {
  test('is accepted unchanged', async () => {
    expect(await verify()).toMatchObject({
      issuer: keycloak.realm('northwind'),
      tenantExternalId: 'ext-northwind',
      roles: [],
      claims: { realm_access: { roles: ['developer', 'offline_access', 'default-roles-northwind'] } },
      username: 'paula',
      authorizedParty: 'countersign-console',
      newMember: {
        kind: 'person',
        username: 'paula',
        displayName: 'Paula Foreign',
        email: 'paula@elsewhere.example',
      },
    })
  })

  test.each<[string, Record<string, unknown>, (() => TokenOptions)?]>([
    ['the type of RFC 9068', {}, () => ({ header: { typ: 'at+jwt' } })],
    ['that type without a claim typ', { typ: undefined }, () => ({ header: { typ: 'at+jwt' } })],
    ['no claim typ', { typ: undefined }],
    ['Ed25519', {}, () => ({ pair: ed25519 })],
    ['ES256', {}, () => ({ pair: keycloak.keys[2] as SigningPair })],
    ['one audience', { aud: 'countersign' }],
    ['its tenant named', { tenant: 'ext-northwind' }],
    ['client roles, which grant nothing', { resource_access: { x: { roles: ['tenant_admin'] } } }],
  ])('is accepted with %s', async (_name, claims, options) => {
    const token = await verify(claims, options?.())
    const settings = TenantSettings.parse({})
    expect(rolesNamed({ issuer: token.issuer, claims: token.claims ?? {} }, settings, 'person')).toEqual(['developer'])
  })

  test.each<[string, Record<string, unknown>, (() => TokenOptions)?]>([
    ['an id_token', { typ: 'ID', aud: 'countersign', at_hash: 'x' }],
    ['an id_token without a claim typ', { typ: undefined, at_hash: 'x' }],
    ['a refresh token', { typ: 'Refresh' }],
    ['an offline token', { typ: 'Offline' }],
    ['a logout token', { typ: 'Logout' }],
    ['a logout token without a claim typ', { typ: undefined, events: {} }],
    ['a kind that is not text', { typ: 7 }],
    ['no header type', {}, () => ({ header: { typ: undefined } })],
    ['another header type', {}, () => ({ header: { typ: 'logout+jwt' } })],
    ['another audience', { aud: 'account' }],
    ['another tenant', { tenant: 'ext-globex' }],
    ['a past expiry', { exp: 1 }],
    ['a life of more than a day', { exp: 4_000_000_000 }],
    ['no subject', { sub: undefined }],
    ['a key that is not published', {}, () => ({ pair: unpublished })],
    [
      'an unpublished key under a published key id',
      {},
      () => ({
        pair: { ...unpublished, kid: keycloak.keys[0]?.kid ?? '' },
      }),
    ],
    [
      'an algorithm that does not fit its key',
      {},
      () => ({
        pair: { ...(keycloak.keys[0] as SigningPair), alg: 'PS256' },
      }),
    ],
    ['a list of authorized parties', { azp: ['countersign-console'], client_id: 'countersign-console' }],
    ['a client that is not text', { azp: undefined, client_id: { id: 'countersign-console' } }],
    ['a bound key', { cnf: { jkt: 'x' } }],
  ])('is refused: %s', async (_name, claims, options) => {
    await expect(verify(claims, options?.())).rejects.toMatchObject({ code: 'unauthorized' })
  })

  test('a refusal names what the provider has to be configured for, once it has signed the token', async () => {
    const messageOf = (claims: Record<string, unknown>, options?: TokenOptions) =>
      verify(claims, options).then(String, (error: unknown) => (error as Error).message)
    const expected = 'The identity provider signed this token, but'
    expect(await messageOf({ aud: 'account' })).toBe(`${expected} its audience (aud) must contain "countersign".`)
    expect(await messageOf({}, { header: { typ: 'x' } })).toBe(
      `${expected} the type in its header (typ) must be at+jwt or jwt.`,
    )
    expect(await messageOf({ typ: 'ID' })).toContain(`${expected} it must be an access token`)
    expect(await messageOf({ tenant: 'ext-globex' })).toContain(`${expected} its claim tenant must be absent`)
    expect(await messageOf({ tenant: 7 })).toContain(`${expected} its claim tenant must be the external id`)
    expect(await messageOf({ azp: ['evil'], client_id: 'app' })).toBe(
      `${expected} its claim azp must be absent, or one client as a text.`,
    )
    const general = 'The bearer token is missing, expired or invalid.'
    expect(await messageOf({ aud: 'account' }, { pair: unpublished })).toBe(general)
    expect(await messageOf({ exp: 1 })).toBe(general)
  })

  test('is refused for another realm, even though one key signs for both', async () => {
    const token = await keycloak.token('northwind', { iss: keycloak.realm('globex'), tenant: 'ext-northwind' })
    await expect(verifyBearer(`Bearer ${token}`)).rejects.toMatchObject({ code: 'unauthorized' })
    await expect(verifyBearer(`Bearer ${await keycloak.token('globex')}`)).resolves.toMatchObject({
      tenantExternalId: 'ext-globex',
    })
  })
})

describe('a token is recognized as a machine’s', () => {
  test.each<[string, Record<string, unknown>]>([
    ['Keycloak’s service account', serviceAccount('deployer')],
    ['a subject that is the client', { azp: 'deployer', sub: 'deployer' }],
    [
      'a token without claims about a person',
      { azp: 'deployer', preferred_username: undefined, name: undefined, email: undefined },
    ],
  ])('%s', async (_name, claims) => {
    const { newMember } = await verify(claims)
    expect(newMember).toMatchObject({ kind: 'service_account', username: 'deployer' })
    expect(newMember?.email).toBeUndefined()
  })
})

describe('a membership is created from the token', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'long names are truncated',
      { preferred_username: 'x'.repeat(500), name: 'y'.repeat(500) },
      {
        username: 'x'.repeat(128),
        displayName: 'y'.repeat(128),
      },
    ],
    [
      'invisible characters are removed',
      { preferred_username: 'pau\u202ela\u0007\u200b', name: ' \n ' },
      {
        username: 'paula',
        displayName: 'paula',
      },
    ],
    [
      'the verified address replaces a missing name',
      { preferred_username: undefined, name: undefined },
      {
        username: 'paula@elsewhere.example',
        displayName: 'paula@elsewhere.example',
      },
    ],
    ['an invalid address is ignored', { email: 'x y@z' }, { email: undefined }],
    ['an unverified address is ignored', { email_verified: 'true' }, { email: undefined }],
  ])('%s', async (_name, claims, expected) => {
    expect((await verify({ iat: now(), ...claims })).newMember).toMatchObject(expected)
  })
})
