import { ApiError } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { signInPath } from '#lib/paths.ts'
import { type Role, roleNames } from '#lib/permissions.ts'
import { Email, GroupName } from '#lib/schemas/members.ts'
import type { Branding } from '#lib/schemas/tenants.ts'
import { programOf } from '#server/command-line.ts'
import { createSignInLink, lockOut, type SignInLink } from '#server/identity/links/sign-in-links.ts'
import { requireOwnAccounts } from '#server/identity/own-accounts.ts'
import { createRealm } from '#server/identity/realms/create-realm.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import { issuerOf, slugPattern } from '#server/kernel/auth/realm.ts'
import { bindTenant, type Transaction } from '#server/kernel/db/database.ts'
import { newRandomId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { proveByOperator } from '#server/tenants/account-control.ts'
import { addGroupMember, createGroup, createMember, createTenant } from '#server/tenants/create-tenant.ts'
import { findGroup, findMembersOfGroups, lockGroup, replaceGroupMembers } from '#server/tenants/group-store.ts'
import { endTokens, findNamesakes, lockMember, lockPrincipal, setMember } from '#server/tenants/member-store.ts'
import { findTenantBySlug } from '#server/tenants/store.ts'
import { invitePerson } from './members/invite-person.ts'

/** The actor in the tenant's audit log: a person with access to the machine, who is not a member. */
const operator = { type: 'system', id: 'operator', name: 'Operator' } as const

type Say = (line: string) => void
type TenantRef = { id: string; slug: string; externalId: string }

export type NewOrganisation = {
  slug: string
  externalId: string
  displayName: string
  admin: string
  approvers: string[]
  /** Approver groups beyond change-approvers and escalation, with the same members. */
  groups: string[]
}

const wrong = (message: string) => new ApiError('bad_request', message)

/**
 * Creates a tenant with its realm, its first administrator and its approvers, and prints their one-time links. With an
 * external identity provider, people become members by signing in there; then this prints the roles to assign at that
 * provider.
 */
export async function createOrganisation(wanted: NewOrganisation, say: Say): Promise<void> {
  const { slug, externalId, displayName } = wanted
  if (!slugPattern.test(slug))
    throw wrong(
      `"${slug}" is not a valid slug. Use 2 to 63 lower-case letters, digits and hyphens, not starting with a hyphen.`,
    )
  if (!/^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/.test(externalId))
    throw wrong(
      `"${externalId}" is not a valid external id. Use up to 128 letters, digits, dots, underscores, tildes and hyphens, starting with a letter or digit.`,
    )
  const admin = emailOf(wanted.admin)
  const approvers = [...new Set(wanted.approvers.map(emailOf))]
  if (approvers.length === 0) throw wrong('Name at least one approver. Without one, changes can never be approved.')
  if (approvers.includes(admin))
    throw wrong('The administrator requests changes, so the approver must be another person.')
  const groups = [...new Set(wanted.groups)]
  for (const name of groups)
    if (!GroupName.safeParse(name).success)
      throw wrong(`"${name}" is not a valid group name. Use 1 to 63 lower-case letters, digits and hyphens.`)

  const own = runtime().config.identity === 'embedded'

  const links = await runtime().database.inDirectory(async (tx) => {
    if ((await findTenantBySlug(tx, slug)) !== undefined) throw wrong(`The tenant ${slug} already exists.`)
    const tenant = { id: newRandomId(), slug, externalId }
    await bindTenant(tx, tenant.id)
    await createTenant(tx, { ...tenant, name: displayName, displayName, branding: plainBranding(displayName) })
    await createRealm(tx, tenant)
    const made = own ? [await invited(tx, tenant, admin, ['tenant_admin'])] : []
    if (own) for (const approver of approvers) made.push(await invited(tx, tenant, approver, ['approver']))
    const deciding = made.filter((person) => person.role === 'approver')
    for (const name of ['change-approvers', 'escalation', ...groups]) {
      const groupId = (await findGroup(tx, tenant.id, name))?.id ?? (await createGroup(tx, tenant, name, titleOf(name)))
      for (const { memberId } of deciding) await addGroupMember(tx, tenant, groupId, memberId)
    }
    return made
  })
  say(`Created the tenant ${slug} with the external id ${externalId}.`)
  say(`Its members sign in at ${runtime().config.baseUrl}${signInPath({ organisation: slug })}`)
  say('')
  if (!own) return sayElsewhere(say, slug, admin, approvers)
  say('Each of these links sets a password. They are shown only now, and each works once:')
  for (const { email, username, role, link } of links) sayLink(say, `${email}, ${role}, user name ${username}`, link)
  if (approvers.length === 1)
    say('This tenant has only one approver, who can’t approve their own requests. Invite a second approver.')
}

/** With an external provider, links do not exist: roles come from the provider's tokens. */
function sayElsewhere(say: Say, slug: string, admin: string, approvers: readonly string[]): void {
  const { authUrl } = runtime().config
  say(`The identity provider at ${authUrl} manages accounts. In its realm ${slug}, give`)
  for (const [email, role] of [[admin, 'tenant_admin'], ...approvers.map((email) => [email, 'approver'])])
    say(`  ${email} the role ${role}`)
  say('They become members when they first sign in. Changes can be approved once change-approvers has a member:')
  say(`  ${programOf('tenant')} seat ${slug} --group change-approvers --person <user name or e-mail>`)
}

/**
 * Adds an active person of the tenant to an approver group without approval, as creating the tenant does. It is the way
 * out when change-approvers, who alone approve changes of groups, is empty.
 */
export async function seatApprover(slug: string, groupName: string, who: string, say: Say): Promise<void> {
  await runtime().database.inDirectory(async (tx) => {
    const tenant = await requireTenant(tx, slug)
    await bindTenant(tx, tenant.id)
    const found = await findGroup(tx, tenant.id, groupName)
    const group = found && (await lockGroup(tx, tenant.id, found.id))
    if (group === undefined) throw wrong(`The group ${groupName} does not exist in ${slug}.`)
    const seated = (await findMembersOfGroups(tx, tenant.id, [group.id])).map((member) => member.id)
    for (const { id } of await findNamesakes(tx, tenant.id, { username: who, email: who.toLowerCase() })) {
      const member = await lockMember(tx, tenant.id, id)
      if (member?.kind !== 'person' || member.status !== 'active') continue
      if (seated.includes(id)) throw wrong(`${who} is already in ${groupName}.`)
      await replaceGroupMembers(tx, tenant.id, group.id, [...seated, id])
      const resource = { type: 'group', id: group.id }
      await appendAudit(tx, tenant, {
        actor: operator,
        action: 'group.member_added',
        resource,
        details: { memberId: id },
      })
      return
    }
    throw wrong(`${who} is not an active member of ${slug}. ${howMembersBegin(slug, who)}`)
  })
  say(`${who} can now decide for ${groupName} of ${slug}.`)
}

const howMembersBegin = (slug: string, who: string): string =>
  runtime().config.identity === 'embedded'
    ? `Invited people become active when they set a password with their one-time link. For a new link: ${programOf('tenant')} link ${slug} ${who}`
    : 'People become members when they first sign in. An e-mail address counts only if the identity provider marks it as verified (email_verified); otherwise name the user name.'

/**
 * A new one-time link for a member who lost theirs or forgot the password; the old password and all sessions end. It proves
 * that the member controls the account, because the operator hands the link over.
 */
export async function newLink(slug: string, who: string, say: Say): Promise<void> {
  requireOwnAccounts('passwords')
  const link = await runtime().database.inDirectory(async (tx) => {
    const tenant = await requireTenant(tx, slug)
    await bindTenant(tx, tenant.id)
    const found = await findPerson(tx, tenant, who)
    await lockOut(tx, tenant.id, found.subject)
    await endTokens(tx, tenant.id, found.id)
    await proveByOperator(tx, tenant.id, found, found.status === 'invited' ? 'created' : 'reset')
    const made = await createSignInLink(tx, tenant, found.subject, 'reset')
    await audit(tx, tenant, 'member.password_reset', found.id, { linkExpiresAt: made.expiresAt.toISOString() })
    return made
  })
  sayLink(say, `${who} of ${slug}`, link)
}

/** Gives a person of one tenant a membership with these roles in another tenant. */
export async function joinOrganisation(
  { slug, home, username, roles }: { slug: string; home: string; username: string; roles: string[] },
  say: Say,
): Promise<void> {
  const unknown = roles.filter((role) => !roleNames.includes(role as Role))
  if (roles.length === 0 || unknown.length > 0)
    throw wrong(`Roles "${roles.join(',')}" are not valid. Name one or more of ${roleNames.join(', ')}.`)
  await runtime().database.inDirectory(async (tx) => {
    const from = await requireTenant(tx, home)
    const tenant = await requireTenant(tx, slug)
    if (from.id === tenant.id) throw wrong('Choose a tenant other than the person’s own.')
    await bindTenant(tx, from.id)
    const person = await findPerson(tx, from, username)
    await bindTenant(tx, tenant.id)
    const principal = { issuer: issuerOf(home), subject: person.subject }
    const known = await lockPrincipal(tx, tenant.id, principal)
    if (known !== undefined && known.status !== 'removed') throw wrong(`${username} is already a member of ${slug}.`)
    if (known !== undefined) {
      await setMember(tx, tenant.id, known.id, { status: 'active', roles })
      return await audit(tx, tenant, 'member.resumed', known.id, { roles })
    }
    await createMember(tx, tenant, {
      ...principal,
      kind: 'person',
      username: guestName(person.username, home),
      displayName: person.displayName,
      ...(person.email === null ? {} : { email: person.email }),
      roles,
    })
  })
  say(`${username} of ${home} is now a member of ${slug} with the roles ${roles.join(', ')}.`)
}

/** The user name of a guest from another tenant, recognizable as not one of this tenant's own people. */
export const guestName = (username: string, home: string): string => `${username}@${home}`

function emailOf(text: string): string {
  const email = Email.safeParse(text)
  if (!email.success) throw wrong(`"${text}" is not a valid e-mail address.`)
  return email.data
}

async function requireTenant(tx: Transaction, slug: string): Promise<TenantRef> {
  const tenant = await findTenantBySlug(tx, slug)
  if (tenant === undefined) throw wrong(`The tenant ${slug} does not exist.`)
  return { id: tenant.id, slug: tenant.slug, externalId: tenant.externalId }
}

/** An active or invited person of the tenant's own realm. */
async function findPerson(tx: Transaction, tenant: TenantRef, who: string) {
  const name = who.toLowerCase()
  for (const { id } of await findNamesakes(tx, tenant.id, { username: name, email: name })) {
    const member = await lockMember(tx, tenant.id, id)
    if (member?.kind !== 'person' || member.issuer !== issuerOf(tenant.slug)) continue
    if (member.status === 'active' || member.status === 'invited') return member
    throw wrong(`${who} is ${member.status}.`)
  }
  throw wrong(`The person ${who} does not exist in ${tenant.slug}.`)
}

async function invited(tx: Transaction, tenant: TenantRef, email: string, [role]: [Role]) {
  const account = await invitePerson(tx, tenant, {
    email,
    displayName: email.slice(0, email.lastIndexOf('@')),
    roles: [role],
  })
  const { id: memberId, username } = account
  await proveByOperator(tx, tenant.id, account, 'created')
  const link = await createSignInLink(tx, tenant, account.subject, 'invitation')
  await audit(tx, tenant, 'member.invited', memberId, { username, roles: [role] })
  return { memberId, username, link, email, role }
}

const audit = async (
  tx: Transaction,
  tenant: TenantRef,
  action: string,
  memberId: string,
  details: JsonObject,
): Promise<void> => {
  await appendAudit(tx, tenant, { actor: operator, action, resource: { type: 'member', id: memberId }, details })
}

const plainBranding = (displayName: string): Branding => ({
  displayName,
  logoUrl: null,
  logoMarkUrl: null,
  logoAlt: displayName,
  accentColor: null,
  coBranding: 'none',
  language: null,
})

/** "refund-approvers" → "Refund approvers". */
const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ')

function sayLink(say: Say, whose: string, { url, expiresAt }: SignInLink): void {
  say(`  ${whose}, until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC:`)
  say(`    ${url}`)
}
