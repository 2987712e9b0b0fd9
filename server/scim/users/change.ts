import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { whyNotSetRoles, whyNotSuspend } from '#lib/rules/members.ts'
import { suspendMembership } from '#server/access/members/end.ts'
import { lockTarget, stopWhen } from '#server/access/members/target.ts'
import type { MutationContext } from '#server/kernel/operation.ts'
import { lockFirstSignIns } from '#server/tenants/first-sign-in-store.ts'
import { setMember, setNames } from '#server/tenants/member-store.ts'
import { namesFor } from '#server/tenants/names.ts'
import { changedSince, mutability, ScimError, uniqueness } from '../protocol/errors.ts'
import { isKnownVersion } from '../protocol/version.ts'
import { endedByProvider } from './ended-by-provider.ts'
import { readUser, requirePerson } from './read.ts'
import { attributesOfUser, namesOf, type User, userOf, versionOfUser } from './resource.ts'
import { withAssigned } from './roles.ts'
import { findPersonNamed, type PersonRow, putSent, type Sent } from './store.ts'

export type Changed = { resource: JsonObject; action: string; details: { [name: string]: JsonValue } | undefined }
type Where = Pick<MutationContext<unknown>, 'tx' | 'tenant' | 'principal'>

/**
 * Changes a person to what `decide` makes of the writable attributes. `details` is undefined if nothing has changed. Throws 404,
 * 412, and 400 for what can't change.
 */
export async function changeUser(
  { tx, tenant, principal }: Where,
  { id, ifMatch }: { id: string; ifMatch: string | undefined },
  decide: (before: JsonObject) => JsonObject,
): Promise<Changed> {
  await lockFirstSignIns(tx, tenant.id)
  await requirePerson(tx, tenant, id)
  const { member, facts } = await lockTarget(tx, { tenant, principal }, { id })
  const row = await requirePerson(tx, tenant, id)
  if (!isKnownVersion(ifMatch, versionOfUser(row))) throw changedSince()
  const before = userOf(attributesOfUser(row))
  const after = userOf(decide(attributesOfUser(row)))
  if (after.externalId !== before.externalId)
    throw mutability('externalId: It can’t change, because it is the subject of the membership. Create another user.')
  const changed: string[] = []
  let action = 'member.updated'

  if (after.active === false && before.active === true) {
    // The provider may end any membership, also that of the people who set SCIM up: it gives no one anything.
    stopWhen(whyNotSuspend({ ...facts, isCaller: false, identityLink: undefined }))
    await suspendMembership(tx, tenant, member)
    action = 'member.suspended'
  } else if (after.active === true && before.active === false) {
    if (!(await endedByProvider(tx, tenant.id, id, 'member.suspended')))
      throw new ScimError(
        'conflict',
        'active: An administrator suspended this person in Countersign, and can resume the membership there.',
      )
    await setMember(tx, tenant.id, id, { status: 'active' })
    action = 'member.resumed'
  }
  if (action !== 'member.updated') changed.push('active')

  const roles = after.roles === undefined ? member.roles : withAssigned(member.roles, after.roles)
  if (!sameSet(roles, member.roles)) {
    stopWhen(whyNotSetRoles(facts, roles))
    await setMember(tx, tenant.id, id, { roles })
    changed.push('roles')
  }
  changed.push(...(await changeNames({ tx, tenant, principal }, row, before, after)))
  // Also for a change of the membership alone, because the time of the last change is stored with what was sent.
  if (changed.length > 0) await putSent(tx, tenant.id, id, sentOf(after))
  const details = { username: member.username, changed, roles, through: 'scim' }
  return { resource: await readUser(tx, tenant, id), action, details: changed.length === 0 ? undefined : details }
}

/** The attributes that the provider sent otherwise than before. */
async function changeNames({ tx, tenant }: Where, row: PersonRow, before: User, after: User): Promise<string[]> {
  const sent = (['userName', 'displayName', 'name', 'emails'] as const).filter(
    (name) => canonicalJson(before[name] ?? null) !== canonicalJson(after[name] ?? null),
  )
  if (sent.length === 0) return []
  const { id, subject } = row
  if (sent.includes('userName') && (await findPersonNamed(tx, tenant.id, row.issuer, after.userName, id)) !== undefined)
    throw uniqueness('userName: Another user has this name.')
  const names = namesOf(after)
  const free = await namesFor(tx, tenant.id, { issuer: row.issuer, subject, memberId: id }, names)
  const shown = { username: free.username, displayName: names.displayName, email: free.email }
  if (shown.username !== row.username || shown.displayName !== row.displayName || shown.email !== row.email)
    await setNames(tx, tenant.id, id, shown)
  return sent
}

const sentOf = ({ userName, displayName, name, emails }: User): Sent => ({
  userName,
  displayName: displayName ?? null,
  name: name ?? null,
  emails,
})

const sameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((role) => other.includes(role))
