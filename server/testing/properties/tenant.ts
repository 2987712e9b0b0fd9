import type { Caller } from '#server/kernel/auth/principal.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { addGroupMember, createGroup } from '#server/tenants/create-tenant.ts'
import { findGroup } from '#server/tenants/group-store.ts'
import { findMemberByUsername } from '#server/tenants/store.ts'
import { signIn } from '#server/testing/auth/sign-in.ts'
import { type TestRealm, testRealm } from '#server/testing/identity-server.ts'
import type { PropertyServer } from './server.ts'

export type PropertyTenant = TestRealm & {
  /** Creates a person with these roles and returns their access token. The person joins `groups`, which are created if missing. */
  signedIn(username: string, roles: string[], groups?: string[]): Promise<string>
  /** Creates a service account with these roles and returns its access token. */
  machine(clientId: string, roles: string[]): Promise<string>
  memberId(username: string): Promise<string>
}

/** Creates a tenant with its own realm. All its data contains `slug`, so a canary as slug is found anywhere. */
export async function propertyTenant({ baseUrl }: PropertyServer, slug: string): Promise<PropertyTenant> {
  const current = runtime()
  const realm = await testRealm({ runtime: current, url: baseUrl, close: async () => undefined }, slug)
  const memberId = (username: string) =>
    current.database.inTenant(realm.id, async (tx) => (await findMemberByUsername(tx, realm.id, username)).id)
  return {
    ...realm,
    memberId,
    async signedIn(username, roles, groups = []) {
      const { password } = await realm.person(username, roles)
      const member = await memberId(username)
      await current.database.inTenant(realm.id, async (tx) => {
        for (const name of groups) {
          const found = await findGroup(tx, realm.id, name)
          await addGroupMember(tx, realm, found?.id ?? (await createGroup(tx, realm, name, name)), member)
        }
      })
      return (await signIn(baseUrl, slug, username, password)).accessToken
    },
    async machine(clientId, roles) {
      const { clientSecret } = await realm.service(clientId, roles)
      const response = await fetch(`${realm.realmUrl}/protocol/openid-connect/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: clientId,
          client_secret: clientSecret,
        }),
      })
      const answer = (await response.json()) as { access_token?: string }
      if (answer.access_token === undefined) throw new Error(`No token for ${clientId}: ${JSON.stringify(answer)}`)
      return answer.access_token
    },
  }
}

/** Returns a caller as authentication would, with a combination of permissions that no role has. */
export function craftedCaller(
  tenant: PropertyTenant,
  memberId: string,
  permissions: Caller['principal']['permissions'],
): Caller {
  const { id, slug, externalId, name, displayName, branding, settings } = tenant
  return {
    tenant: { id, slug, externalId, name, displayName, branding, settings },
    requestId: 'crafted',
    principal: {
      memberId,
      kind: 'person',
      issuer: 'crafted',
      subject: memberId,
      username: 'crafted',
      displayName: 'Crafted',
      roles: [],
      permissions,
      expiresAt: Date.now() + 3_600_000,
    },
  }
}
