import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { demoTenants } from '#server/demo/tenants.ts'
import { type Answer, payload, startApi, type TestApi } from './api.ts'
import { type ForeignIssuer, foreignIssuer } from './fakes/foreign-issuer.ts'

type Slug = 'northwind' | 'globex'

/** The real server with a provider for the people of each demo tenant, and tokens with which the providers manage them. */
export type ScimServer = {
  api: TestApi
  owner: Client
  provider: ForeignIssuer
  /** Tokens of admin-automation. */
  admin: Record<Slug, string>
  /** Connection tokens with the use scim. */
  token: Record<Slug, string>
  /** The service account of the token, in northwind. */
  accountId: string
  makeToken(input?: Record<string, unknown>, slug?: Slug): Promise<{ id: string; token: string }>
  /** A request of the provider of northwind, unless `token` replaces that. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  close(): Promise<void>
}

export type CallOptions = { token?: string; headers?: Record<string, string> }

export async function scimServer(environment: Record<string, string> = {}): Promise<ScimServer> {
  const provider = await foreignIssuer()
  const folder = await mkdtemp(join(tmpdir(), 'countersign-scim-'))
  const issuers = demoTenants.map(({ slug, externalId }) => ({
    issuer: provider.realm(slug),
    audience: 'countersign',
    tenant: externalId,
    clientIds: ['countersign-console'],
    algorithms: ['RS256'],
    tokenTypes: ['JWT'],
    // As for Entra ID, whose sub is another one for each application.
    ...(slug === 'globex' ? { subjectClaim: 'oid' } : {}),
  }))
  const file = join(folder, 'issuers.json')
  await writeFile(file, JSON.stringify({ issuers }))
  const api = await startApi({ TRUSTED_ISSUERS: file, ...environment })
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const admin = {
    northwind: await api.client('admin-automation'),
    globex: await api.client('admin-automation', 'globex'),
  }
  const accounts = { northwind: await accountOf('northwind'), globex: await accountOf('globex') }
  async function accountOf(slug: Slug): Promise<string> {
    const made = await api.mutate(admin[slug], 'serviceAccounts.create', { name: 'Directory', roles: ['viewer'] })
    const { clientId } = payload<{ clientId: string }>(made)
    const { rows } = await owner.query<{ id: string }>(
      'select m.id from members m join tenants t on t.id = m.tenant_id where t.slug = $1 and m.username = $2',
      [slug, clientId],
    )
    return rows[0]?.id ?? ''
  }
  const makeToken = async (input: Record<string, unknown> = {}, slug: Slug = 'northwind') =>
    payload<{ id: string; token: string }>(
      await api.mutate(admin[slug], 'connectionTokens.create', {
        name: 'Entra ID',
        serviceAccountId: accounts[slug],
        use: 'scim',
        ...input,
      }),
    )
  const token = { northwind: (await makeToken()).token, globex: (await makeToken({}, 'globex')).token }
  return {
    api,
    owner,
    provider,
    admin,
    token,
    accountId: accounts.northwind,
    makeToken,
    async call(method, path, body, { token: other, headers = {} } = {}) {
      const isText = typeof body === 'string'
      const answer = await api.request(other ?? token.northwind, `/scim/v2${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }), ...headers },
        ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      })
      return answer
    },
    async close() {
      await owner.end()
      await api.close()
      await provider.close()
      await rm(folder, { recursive: true })
    },
  }
}
