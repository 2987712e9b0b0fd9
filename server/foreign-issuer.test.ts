import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '#server/kernel/config.ts'
import { payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { type ForeignIssuer, foreignIssuer, newPair, serviceAccount } from '#server/testing/fakes/foreign-issuer.ts'
import { runTenantCommand } from './tenant-command.ts'

// The real server with another identity provider, configured by AUTH_URL alone, and with a third issuer named by the
// operator.

let keycloak: ForeignIssuer
let partner: ForeignIssuer
let api: TestApi
let owner: Client
let folder: string

beforeAll(async () => {
  keycloak = await foreignIssuer()
  partner = await foreignIssuer()
  folder = await mkdtemp(join(tmpdir(), 'countersign-issuers-'))
  const trusted = {
    issuer: partner.realm('partners'),
    audience: 'urn:countersign:production',
    tenantClaim: 'org',
    clientIds: ['partner-portal', 'partner-robot'],
    serviceClientIds: ['partner-robot'],
    algorithms: ['ES256'],
    tokenTypes: ['at+jwt', 'JWT'],
  }
  partner.keys = [await newPair('ES256')]
  const file = join(folder, 'issuers.json')
  await writeFile(file, JSON.stringify({ issuers: [trusted] }))
  api = await startApi({ AUTH_URL: keycloak.origin, TRUSTED_ISSUERS: file })
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
}, 180_000)
afterAll(async () => {
  await owner.end()
  await api.close()
  await Promise.all([keycloak.close(), partner.close(), rm(folder, { recursive: true })])
})

type Me = { principal: { id: string; kind: string; username: string; roles: string[] }; tenant: { externalId: string } }
const me = (token: string, headers: Record<string, string> = {}) => api.query(token, 'session.me', undefined, headers)
const externalIdOf = (slug: string) => api.credentials.tenants.find((tenant) => tenant.slug === slug)?.externalId ?? ''
const membersOf = async (subject: string) =>
  (await owner.query('select * from members where subject = $1', [subject])).rows as Record<string, unknown>[]
const auditOf = async (memberId: unknown) =>
  (
    await owner.query(`select record from audit_records where record->'resource'->>'id' = $1 order by seq`, [memberId])
  ).rows.map((row: { record: unknown }) => row.record)

describe('with AUTH_URL at another provider', () => {
  test('operations on externally managed accounts are refused with the provider’s address', async () => {
    const admin = await keycloak.token('northwind', {
      sub: 'keycloak-tina',
      preferred_username: 'tina',
      email: 'tina@elsewhere.example',
      realm_access: { roles: ['tenant_admin'] },
    })
    const { principal } = payload<Me>(await me(admin))
    for (const [procedure, input] of [
      ['members.invite', { email: 'new@mail.example', displayName: 'New', roles: [] }],
      ['members.resetPassword', { id: principal.id }],
      ['serviceAccounts.create', { name: 'Robot', roles: ['viewer'] }],
      ['serviceAccounts.rotateSecret', { clientId: 'ci-pipeline' }],
      ['serviceAccounts.enable', { clientId: 'ci-pipeline' }],
      ['serviceAccounts.disable', { clientId: 'ci-pipeline' }],
    ] as const) {
      const answer = await api.mutate(admin, procedure, input)
      expect([procedure, answer.status, reason(answer)]).toEqual([procedure, 409, 'external_identity'])
      expect(answer.text).toContain(`The identity provider at ${keycloak.origin} manages`)
    }
    // So the console offers no invitation, and says where the accounts are.
    const issuer = keycloak.realm('northwind')
    type Members = { items: { id: string; issuer: string | null; provisioned: unknown }[]; accounts: unknown }
    const { items, accounts } = payload<Members>(await api.query(admin, 'members.list', { limit: 200 }))
    expect(accounts).toEqual({ provider: issuer, scim: null })
    expect(items.find(({ id }) => id === principal.id)).toMatchObject({ issuer, provisioned: null })
    expect(items.find(({ id }) => id !== principal.id)?.issuer).toBeNull()
  })

  test('a tenant is created without accounts, and its first approver is seated after signing in at the provider', async () => {
    const { port } = new URL(api.baseUrl)
    const dataDir = join(dirname(api.gate), 'data')
    const environment = {
      PORT: port,
      DATABASE_URL: api.ownerUrl,
      DATA_DIR: dataDir,
      AUTH_URL: keycloak.origin,
      LOG_LEVEL: 'error',
    }
    const said: string[] = []
    const run = async (...words: string[]) => {
      said.length = 0
      await runTenantCommand(
        () => loadConfig(environment),
        words,
        (line) => said.push(line),
      )
      return said.join('\n')
    }
    const made = await run('create', 'acme', '--admin', 'ada@acme.example', '--approvers', 'bo@acme.example')
    expect(made).toContain(`The identity provider at ${keycloak.origin} manages accounts.`)
    expect(made).toContain('ada@acme.example the role tenant_admin')
    expect(made).not.toMatch(/set a password|sign-in\//)
    const seat = ['seat', 'acme', '--group', 'change-approvers', '--person', 'bo@acme.example']
    await expect(run(...seat)).rejects.toThrow(
      /^bo@acme\.example is not an active member of acme\. .*\(email_verified\)/,
    )

    const claims = { preferred_username: 'bo', email: 'bo@acme.example', realm_access: { roles: ['approver'] } }
    const bo = await keycloak.token('acme', { sub: 'keycloak-bo', ...claims })
    const { principal, tenant } = payload<Me>(await me(bo))
    expect([principal.username, tenant.externalId]).toEqual(['bo', 'acme'])
    expect(await run(...seat)).toBe('bo@acme.example can now decide for change-approvers of acme.')
    await expect(run(...seat)).rejects.toThrow('bo@acme.example is already in change-approvers.')
    const ada = await keycloak.token('acme', { sub: 'keycloak-ada', realm_access: { roles: ['tenant_admin'] } })
    const groups = payload<{ items: { name: string; members: { id: string }[] }[] }>(
      await api.query(ada, 'groups.list'),
    )
    const approvers = groups.items.find((group) => group.name === 'change-approvers')
    expect(approvers?.members).toEqual([expect.objectContaining({ id: principal.id })])
  }, 120_000)

  test('the realm’s token works unchanged: the first sign-in creates the membership, once, with an audit record', async () => {
    const sub = 'keycloak-paula'
    const token = await keycloak.token('northwind', { sub })
    const answers = await Promise.all(Array.from({ length: 10 }, () => me(token)))
    const [first] = answers.map((answer) => payload<Me>(answer))
    expect(first).toMatchObject({
      principal: { kind: 'person', username: 'paula', roles: ['developer'] },
      tenant: { externalId: externalIdOf('northwind') },
    })
    const members = await membersOf(sub)
    expect(members).toHaveLength(1)
    expect(members[0]).toMatchObject({
      issuer: keycloak.realm('northwind'),
      kind: 'person',
      display_name: 'Paula Foreign',
      email: 'paula@elsewhere.example',
      roles: ['developer'],
      status: 'active',
    })
    expect(await auditOf(first?.principal.id)).toEqual([
      expect.objectContaining({
        action: 'member.created',
        details: expect.objectContaining({ issuer: keycloak.realm('northwind'), clientId: 'countersign-console' }),
      }),
    ])
  })

  test('more people than database connections can sign in for the first time concurrently', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        keycloak.token('northwind', { sub: `keycloak-crowd-${index}`, preferred_username: `crowd-${index}` }),
      ),
    )
    // If a sign-in held one connection while waiting for another, it would end with 503.
    const answers = await Promise.all(tokens.map((token) => me(token)))
    expect(answers.map((answer) => answer.status)).toEqual(tokens.map(() => 200))
  })

  test('a service account becomes a member, without the roles that service accounts never get', async () => {
    const roles = ['developer', 'approver', 'tenant_admin', 'privacy_officer', 'viewer']
    const token = await keycloak.token('northwind', { ...serviceAccount('deployer'), realm_access: { roles } })
    expect(payload<Me>(await me(token)).principal).toMatchObject({
      kind: 'service_account',
      username: 'deployer',
      roles: ['viewer', 'developer'],
    })
  })

  test('a role needs both: the membership must still have it, and the token must still carry it', async () => {
    const sub = 'keycloak-roles'
    const token = (roles: string[]) => keycloak.token('northwind', { sub, realm_access: { roles } })
    expect(payload<Me>(await me(await token(['viewer', 'operator']))).principal.roles).toEqual(['viewer', 'operator'])
    expect(payload<Me>(await me(await token(['viewer', 'tenant_admin']))).principal.roles).toEqual(['viewer'])
    await owner.query(`update members set roles = '{operator}' where subject = $1`, [sub])
    expect(payload<Me>(await me(await token(['viewer', 'operator']))).principal.roles).toEqual(['operator'])
  })

  test.each(['suspended', 'removed'])(
    'a member who is %s does not become active by signing in again',
    async (status) => {
      const sub = `keycloak-${status}`
      await me(await keycloak.token('northwind', { sub }))
      await owner.query('update members set status = $2 where subject = $1', [sub, status])
      const answer = await me(await keycloak.token('northwind', { sub }))
      expect([answer.status, answer.text]).toEqual([403, '{"error":"Tenant access denied"}'])
      expect(await membersOf(sub)).toHaveLength(1)
    },
  )

  test('a name or address that a member already has stays theirs', async () => {
    const claims = { sub: 'keycloak-maria', preferred_username: 'Maria', email: 'MARIA@northwind.example' }
    const { principal } = payload<Me>(await me(await keycloak.token('northwind', claims)))
    expect(principal.username).toBe(`Maria (${new URL(keycloak.origin).host}, keycloak-maria)`)
    expect((await membersOf('keycloak-maria'))[0]?.email).toBeNull()
  })

  test('an address that the provider has not verified is not used', async () => {
    const sub = 'keycloak-unverified'
    await me(await keycloak.token('northwind', { sub, preferred_username: 'quinn', email_verified: false }))
    expect((await membersOf(sub))[0]).toMatchObject({ username: 'quinn', email: null })
  })

  test('a realm is trusted only for its own tenant: another tenant needs a membership of its own', async () => {
    const token = await keycloak.token('northwind', { sub: 'keycloak-narrow' })
    await me(token)
    const elsewhere = await me(token, { 'x-svc-tenant-external-id': externalIdOf('globex') })
    expect([elsewhere.status, elsewhere.text]).toEqual([403, '{"error":"Tenant access denied"}'])
    const claimed = await me(await keycloak.token('northwind', { tenant: externalIdOf('globex') }))
    expect([claimed.status, reason(claimed)]).toEqual([401, 'unauthorized'])
    expect(await membersOf('keycloak-narrow')).toHaveLength(1)
  })

  test('a realm without a tenant is rejected, and its keys are not even fetched', async () => {
    const answer = await me(await keycloak.token('nowhere', {}))
    expect(answer.status).toBe(401)
    expect(keycloak.asked.some((path) => path.includes('nowhere'))).toBe(false)
  })

  test('the embedded provider is not served, and none of its tokens are accepted', async () => {
    const answer = await api.request(undefined, '/realms/northwind/.well-known/openid-configuration')
    expect(answer.status).toBe(404)
    const own = await keycloak.token('northwind', { iss: `${api.baseUrl}/realms/northwind` })
    expect((await me(own)).status).toBe(401)
  })

  test('an unreachable provider is not a refusal: the caller may try again', async () => {
    keycloak.instead = (_path, res) => res.writeHead(500).end()
    const answer = await me(await keycloak.token('globex', {}))
    keycloak.instead = undefined
    expect([answer.status, reason(answer), answer.headers.get('retry-after')]).toEqual([503, 'unavailable', '1'])
  })
})

describe('an issuer that the operator configures', () => {
  const portal = (claims: Record<string, unknown> = {}) =>
    partner.token('partners', {
      aud: 'urn:countersign:production',
      azp: 'partner-portal',
      org: externalIdOf('globex'),
      sub: 'partner-rosa',
      preferred_username: 'rosa',
      ...claims,
    })

  test('is trusted for the tenant in its claim', async () => {
    const answer = payload<Me>(await me(await portal()))
    expect(answer).toMatchObject({
      principal: { username: 'rosa', kind: 'person' },
      tenant: { externalId: externalIdOf('globex') },
    })
  })

  test('marks service accounts by their client ids', async () => {
    const answer = payload<Me>(await me(await portal({ sub: 'partner-robot-1', azp: 'partner-robot' })))
    expect(answer.principal).toMatchObject({ username: 'partner-robot', kind: 'service_account' })
  })

  test.each<[string, Record<string, unknown>, number]>([
    ['another client', { azp: 'another-client' }, 401],
    ['no client', { azp: undefined }, 401],
    ['another audience', { aud: 'countersign' }, 401],
    ['a tenant that does not exist', { org: 'nowhere' }, 403],
    ['a tenant that is a list', { org: ['x'] }, 401],
    ['no tenant', { org: undefined }, 400],
    ['an issuer with the same prefix', { iss: 'unset' }, 401],
  ])('is rejected with %s', async (_name, claims, status) => {
    const sub = `partner-refused-${status}`
    const iss = claims.iss === undefined ? {} : { iss: `${partner.realm('partners')}/x` }
    const answer = await me(await portal({ sub, ...claims, ...iss }))
    expect(answer.status).toBe(status)
    expect(await membersOf(sub)).toEqual([])
  })

  test('is accepted only with its own keys and algorithms', async () => {
    const token = await keycloak.token('northwind', { iss: partner.realm('partners') })
    expect((await me(token)).status).toBe(401)
    const rsa = await newPair('RS256')
    partner.keys.push(rsa)
    const answer = await me(
      await partner.token('partners', { aud: 'urn:countersign:production', azp: 'partner-portal' }, { pair: rsa }),
    )
    partner.keys.pop()
    expect(answer.status).toBe(401)
  })
})
