import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { identityHandler } from '#server/identity/handler.ts'
import { createRealm, createRealmUser, createServiceClient } from '#server/identity/realms/create-realm.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import { loadConfig } from '#server/kernel/config.ts'
import { newSecret } from '#server/kernel/ids.ts'
import { type Runtime, setRuntime } from '#server/kernel/runtime.ts'
import { createMember } from '#server/tenants/create-tenant.ts'
import { type TestTenant, testRuntime, testTenant } from './tenant.ts'

export type IdentityServer = {
  runtime: Runtime
  /** The origin of the provider, and of the console unless BASE_URL is set. */
  url: string
  close(): Promise<void>
}

/** Starts the identity provider over HTTP on a free port, with its own database. `settings` are those of the process. */
export async function identityServer(settings: Record<string, string> = {}): Promise<IdentityServer> {
  const inner = await testRuntime()
  const server = createServer((req, res) => void identityHandler(req, res))
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  const config = loadConfig({
    PORT: String(port),
    AUTH_URL: `http://localhost:${port}`,
    DATA_DIR: inner.config.dataDir,
    LOG_LEVEL: 'silent',
    IDENTITY: 'embedded',
    RATE_LIMIT_PER_MINUTE: '1000000',
    TOKEN_RATE_LIMIT_PER_MINUTE: '1000000',
    ...settings,
  })
  const runtime = { ...inner, config }
  setRuntime(runtime)
  return {
    runtime,
    url: `http://localhost:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await inner.close()
    },
  }
}

export type TestRealm = TestTenant & {
  realmUrl: string
  /** Creates a person with a membership. Returns their subject and password. */
  person(username: string, roles: string[]): Promise<{ userId: string; password: string }>
  /** Creates a service account with a membership. Returns its secret. */
  service(clientId: string, roles: string[]): Promise<{ clientSecret: string }>
}

/** Creates a tenant with its own realm. */
export async function testRealm({ runtime, url }: IdentityServer, slug: string): Promise<TestRealm> {
  const { database } = runtime
  const tenant = await testTenant(runtime, slug)
  const issuer = issuerOf(slug)
  await database.inTenant(tenant.id, (tx) => createRealm(tx, tenant))
  return {
    ...tenant,
    realmUrl: `${url}/realms/${slug}`,
    person: (username, roles) =>
      database.inTenant(tenant.id, async (tx) => {
        const password = newSecret()
        const email = `${username}@${slug}.example`
        const who = { username, displayName: `${username} of ${slug}`, email }
        const { userId } = await createRealmUser(tx, tenant, { ...who, password })
        await createMember(tx, tenant, { ...who, issuer, subject: userId, kind: 'person', roles })
        return { userId, password }
      }),
    service: (clientId, roles) =>
      database.inTenant(tenant.id, async (tx) => {
        const made = await createServiceClient(tx, tenant, { clientId })
        const who = { username: clientId, displayName: clientId, subject: clientId }
        await createMember(tx, tenant, { ...who, issuer, kind: 'service_account', roles })
        return made
      }),
  }
}
