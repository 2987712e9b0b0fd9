import { decodeJwt } from 'jose'
import { type Calls, payload } from '#server/testing/api.ts'
import { Browser } from '#server/testing/auth/browser.ts'
import { authorizationRequest, authorize, commandLine, exchangeCode, readTokens } from '#server/testing/auth/sign-in.ts'
import type { Keycloak } from './process.ts'

/** People, roles and groups of a realm at Keycloak, and how its people sign in there. */
export const password = 'A-password-of-this-test-7'
export const addressOf = (username: string) => `${username}@elsewhere.example`

export function keycloakRealm(keycloak: Keycloak, realmUrl: string) {
  const setRoles = async (method: 'POST' | 'DELETE', personId: string, roles: string[]) => {
    const all = await Promise.all(roles.map((role) => keycloak.administer('GET', `/roles/${role}`)))
    await keycloak.administer(method, `/users/${personId}/role-mappings/realm`, all)
  }

  /** Creates a person with a verified address, and returns the id. */
  async function addPerson(username: string, roles: string[]): Promise<string> {
    await keycloak.administer('POST', '/users', {
      username,
      enabled: true,
      email: addressOf(username),
      emailVerified: true,
      firstName: username,
      lastName: 'Keycloak',
      credentials: [{ type: 'password', value: password, temporary: false }],
    })
    const [person] = await keycloak.administer<{ id: string }[]>('GET', `/users?exact=true&username=${username}`)
    if (person === undefined) throw new Error('Keycloak did not create the account.')
    await setRoles('POST', person.id, roles)
    return person.id
  }

  async function addGroup(name: string): Promise<string> {
    await keycloak.administer('POST', '/groups', { name })
    const [group] = await keycloak.administer<{ id: string }[]>('GET', `/groups?exact=true&search=${name}`)
    if (group === undefined) throw new Error('Keycloak did not create the group.')
    return group.id
  }

  const put = (method: 'PUT' | 'DELETE', personId: string, groupId: string) =>
    keycloak.administer(method, `/users/${personId}/groups/${groupId}`)

  /** A token of the person by the command line, issued in a later second than `before`: the server can’t order tokens of one second. */
  async function tokenFor(username: string, before?: string): Promise<string> {
    for (;;) {
      const request = authorizationRequest(realmUrl, commandLine)
      const code = await authorizeAtKeycloak(new Browser(), request, username)
      const { accessToken } = await readTokens(await exchangeCode(request, code))
      if (before === undefined || (decodeJwt(accessToken).iat ?? 0) > (decodeJwt(before).iat ?? 0)) return accessToken
    }
  }

  return { setRoles, addPerson, addGroup, put, tokenFor }
}

/** Fills in Keycloak's sign-in page. */
export async function authorizeAtKeycloak(
  browser: Browser,
  request: ReturnType<typeof authorizationRequest>,
  username: string,
): Promise<string> {
  const { redirectUri } = request.client
  const page = await browser.visit(request.url)
  const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&')
  if (action === undefined) return await authorize(browser, request, username, password)
  const visit = await browser.follow(await browser.visit(action, { username, password }), redirectUri)
  const answer = new URL(visit.location ?? `${page.url}#none`).searchParams
  if (answer.get('state') !== request.state) throw new Error(`Keycloak did not sign in: ${visit.status} ${visit.text}`)
  return answer.get('code') ?? ''
}

type Proposed = { change: { approvalId: string } }

/**
 * The administrator lets the groups that tokens name decide: the members of cs-admins are administrators, those of cs-deciders
 * approvers, and those of board are in the approver group `escalation`. The approver approves both changes.
 */
export async function letGroupsDecide(
  api: Calls,
  issuer: string,
  administrator: string,
  approver: string,
): Promise<void> {
  const approve = async (answer: Awaited<ReturnType<Calls['mutate']>>) =>
    payload(
      await api.mutate(approver, 'approvals.decide', {
        approvalId: payload<Proposed>(answer).change.approvalId,
        decision: 'approve',
        decisionAcknowledged: true,
        reason: 'Read and found right.',
      }),
    )
  const { revision } = payload<{ revision: number }>(await api.query(administrator, 'tenants.getSettings'))
  await approve(
    await api.mutate(administrator, 'tenants.updateSettings', {
      expectedRevision: revision,
      rolesFrom: 'token',
      roleClaim: 'groups',
      roleMapping: [
        { issuer, name: 'cs-admins', role: 'tenant_admin' },
        { issuer, name: 'cs-deciders', role: 'approver' },
      ],
    }),
  )
  const { items } = payload<{ items: { id: string; name: string; revision: number; members: { id: string }[] }[] }>(
    await api.query(administrator, 'groups.list'),
  )
  const group = items.find(({ name }) => name === 'escalation')
  await approve(
    await api.mutate(administrator, 'groups.setMembers', {
      id: group?.id,
      expectedRevision: group?.revision,
      memberIds: group?.members.map(({ id }) => id),
      mappings: [{ issuer, name: 'board' }],
    }),
  )
}
