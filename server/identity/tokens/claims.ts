import { type AccessToken, type Account, type ClientCredentials, errors } from 'oidc-provider'
import { familyOf, isFamilyAlive } from '#server/identity/artifacts/adapter.ts'
import { isForeignClient, isRegisteredClient } from '#server/identity/clients/foreign-clients.ts'
import { noteClientUse } from '#server/identity/clients/registration.ts'
import { readByRequest, readServiceClient } from '#server/identity/clients/service-client.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { findPerson, findServiceAccount } from '#server/identity/store.ts'
import { familyClaim, issuedAtClaim, type VerifiedToken } from '#server/kernel/auth/bearer.ts'
import { noteUse } from '#server/kernel/auth/last-use.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** A person who may get tokens now. */
export type Person = {
  username: string
  displayName: string
  email: string | null
  roles: string[]
  tokensNotBefore: Date | null
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The person with this subject; undefined if disabled or without an active membership. */
export async function activePerson({ tenantId, slug }: Realm, subject: string): Promise<Person | undefined> {
  if (!uuid.test(subject)) return undefined
  return await runtime().database.readInTenant(tenantId, (tx) => findPerson(tx, tenantId, issuerOf(slug), subject))
}

/** Whether the sign-in that an access token of this realm belongs to has ended. */
export async function hasEnded({ tenantId }: Realm, { family }: VerifiedToken): Promise<boolean> {
  if (family === undefined) return false
  return !(await runtime().database.readInTenant(tenantId, (tx) => isFamilyAlive(tx, tenantId, family)))
}

export const activeServiceAccount = ({ tenantId, slug }: Realm, clientId: string) =>
  runtime().database.readInTenant(tenantId, (tx) => findServiceAccount(tx, tenantId, issuerOf(slug), clientId))

/** The claims about a person in id_token and userinfo. */
export const personClaims = (realm: Realm, subject: string, person: Person) => ({
  sub: subject,
  tenant: realm.externalId,
  preferred_username: person.username,
  name: person.displayName,
  ...(person.email === null ? {} : { email: person.email }),
})

/** oidc-provider's account. Undefined aborts the operation that needed the account. */
export async function findAccount(realm: Realm, subject: string): Promise<Account | undefined> {
  const person = await activePerson(realm, subject)
  if (person === undefined) return undefined
  return { accountId: subject, claims: () => personClaims(realm, subject, person) }
}

/**
 * The claims of an access token beyond the protocol's own, in Keycloak's shape, with the roles at the time of issue.
 * Throws invalid_grant or unauthorized_client if the membership is not active.
 */
export async function accessTokenClaims(realm: Realm, token: AccessToken | ClientCredentials) {
  const azp = token.clientId
  const tenant = realm.externalId
  if (token.kind === 'AccessToken') {
    // Read before the membership: a right that is withdrawn in between is withdrawn from this token, too.
    const issued = { [issuedAtClaim]: Date.now() }
    const person = await activePerson(realm, token.accountId)
    if (person === undefined) throw new errors.InvalidGrant('the account is disabled or its membership is not active')
    if (azp !== undefined && isRegisteredClient(azp)) await noteClientUse(realm.tenantId, azp)
    const { sub: _subject, name, email, ...claims } = personClaims(realm, token.accountId, person)
    // Programs of other vendors learn no more of a person than their calls need.
    const more = isForeignClient(azp) ? {} : { name, email }
    const family = token.grantId === undefined ? {} : { [familyClaim]: familyOf(token.grantId) }
    return { azp, ...claims, ...more, ...issued, ...family, realm_access: { roles: person.roles } }
  }
  const { account, readAt } =
    azp === undefined ? nothing : (readByRequest(azp) ?? (await readServiceClient(realm, azp)))
  if (account === undefined) throw new errors.UnauthorizedClient('the membership of the service account is not active')
  noteUse(realm.tenantId, account.memberId)
  const issued = { [issuedAtClaim]: readAt }
  return { azp, tenant, ...issued, preferred_username: account.username, realm_access: { roles: account.roles } }
}

const nothing = { account: undefined, readAt: 0 }
