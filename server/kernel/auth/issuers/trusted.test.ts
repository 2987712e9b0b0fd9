import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigError, loadConfig } from '#server/kernel/config.ts'
import { loadTrustedIssuers } from './trusted.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-trusted-'))
})
afterAll(() => rm(folder, { recursive: true }))

const good = {
  issuer: 'https://idp.example/realms/partners',
  audience: 'countersign',
  tenant: 'ext-northwind',
  clientIds: ['portal'],
  algorithms: ['RS256'],
}

async function load(content: unknown, settings: Record<string, string> = {}) {
  const path = join(folder, 'issuers.json')
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return await loadTrustedIssuers(loadConfig({ TRUSTED_ISSUERS: path, ...settings }))
}

describe('TRUSTED_ISSUERS', () => {
  test('configures issuers, with defaults for optional fields', async () => {
    expect(await load({ issuers: [good] })).toEqual([
      { ...good, serviceClientIds: [], tokenTypes: ['at+jwt'], subjectClaim: 'sub', scim: false },
    ])
    expect(await load({ issuers: [] })).toEqual([])
    expect(await loadTrustedIssuers(loadConfig({}))).toEqual([])
  })

  test('accepts the sample in .env.example', async () => {
    const text = await readFile(join(import.meta.dirname, '../../../../.env.example'), 'utf8')
    const sample = /^# (\{"issuers".*\n(?:# {2,}.*\n)*)/m.exec(text)?.[1]?.replaceAll(/^#/gm, '') ?? ''
    expect(await load(JSON.parse(sample))).toEqual([expect.objectContaining({ tokenTypes: ['JWT'] })])
  })

  test.each<[string, unknown]>([
    ['not JSON', '{'],
    ['another shape', []],
    ['an unknown member', { issuers: [{ ...good, roles: [] }] }],
    ['no audience', { issuers: [{ ...good, audience: undefined }] }],
    ['neither tenant nor claim', { issuers: [{ ...good, tenant: undefined }] }],
    ['tenant and claim', { issuers: [{ ...good, tenantClaim: 'org' }] }],
    [
      'SCIM for an issuer of several tenants',
      { issuers: [{ ...good, tenant: undefined, tenantClaim: 'org', scim: true }] },
    ],
    [
      'SCIM for two issuers of one tenant',
      {
        issuers: [
          { ...good, scim: true },
          { ...good, issuer: 'https://b.example', scim: true },
        ],
      },
    ],
    ['no claim as the subject', { issuers: [{ ...good, subjectClaim: '' }] }],
    ['no clients', { issuers: [{ ...good, clientIds: [] }] }],
    ['no algorithms', { issuers: [{ ...good, algorithms: [] }] }],
    ['an algorithm with a shared secret', { issuers: [{ ...good, algorithms: ['HS256'] }] }],
    ['no signature algorithm', { issuers: [{ ...good, algorithms: ['none'] }] }],
    ['another kind of token', { issuers: [{ ...good, tokenTypes: ['id+jwt'] }] }],
    ['keys without TLS', { issuers: [{ ...good, jwksUri: 'http://idp.example/keys' }] }],
    ['keys on a port that fetch blocks', { issuers: [{ ...good, jwksUri: 'https://idp.example:6000/keys' }] }],
    ['an issuer on a port that fetch blocks', { issuers: [{ ...good, issuer: 'https://idp.example:6667' }] }],
    ['an issuer without TLS', { issuers: [{ ...good, issuer: 'http://idp.example' }] }],
    ['an issuer with a query', { issuers: [{ ...good, issuer: 'https://idp.example/?x' }] }],
    ['an issuer that is not an address', { issuers: [{ ...good, issuer: 'idp' }] }],
    ['a repeated issuer', { issuers: [good, good] }],
    ['a realm of this server', { issuers: [{ ...good, issuer: 'http://localhost:3000/realms/northwind' }] }],
  ])('is refused at startup with %s, with a message that names the file', async (_name, content) => {
    const error = await load(content).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConfigError)
    expect(String(error)).toContain('issuers.json')
  })

  test('must refer to an existing file', async () => {
    const config = loadConfig({ TRUSTED_ISSUERS: join(folder, 'missing.json') })
    await expect(loadTrustedIssuers(config)).rejects.toThrow(/can't be read/)
  })

  test('may use an issuer on this machine without TLS', async () => {
    const local = { ...good, issuer: 'http://127.0.0.1:8080/realms/partners' }
    expect(await load({ issuers: [local] })).toHaveLength(1)
  })
})

describe('the identity provider follows from the addresses', () => {
  test.each([
    [{}, 'embedded'],
    [{ BASE_URL: 'https://a.example' }, 'embedded'],
    [{ BASE_URL: 'https://a.example', AUTH_URL: 'https://a.example' }, 'embedded'],
    [{ AUTH_URL: 'http://127.0.0.1:3000' }, 'embedded'],
    [{ BASE_URL: 'https://a.example', AUTH_URL: 'https://b.example' }, 'external'],
    [{ AUTH_URL: 'http://127.0.0.1:8080' }, 'external'],
    [{ BASE_URL: 'https://a.example', AUTH_URL: 'https://b.example', IDENTITY: 'embedded' }, 'embedded'],
    [{ BASE_URL: 'https://a.example', AUTH_URL: 'https://a.example', IDENTITY: 'external' }, 'external'],
  ])('with %o: %s', (settings, expected) => {
    expect(loadConfig(settings).identity).toBe(expected)
  })

  test.each([
    [{ IDENTITY: 'keycloak' }, /IDENTITY must be/],
    [{ IDENTITY: 'external' }, /IDENTITY must be/],
    [{ AUTH_URL: 'http://keycloak.example' }, /AUTH_URL must be an https origin/],
    [{ TOKEN_ALGORITHM: 'HS256' }, /TOKEN_ALGORITHM must be ES256 or RS256/],
    [{ RATE_LIMIT_PER_MINUTE: '0' }, /RATE_LIMIT_PER_MINUTE must be/],
    [{ TOKEN_RATE_LIMIT_PER_MINUTE: 'many' }, /TOKEN_RATE_LIMIT_PER_MINUTE must be/],
  ])('with %o the server does not start', (settings, message) => {
    expect(() => loadConfig(settings)).toThrow(message)
  })
})
