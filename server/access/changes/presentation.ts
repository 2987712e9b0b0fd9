import type { Role } from '#lib/permissions.ts'
import { guardedRoles } from '#lib/rules/members.ts'
import {
  deletingSettings,
  providerSettings,
  type SettingChange,
  settingName,
  settingText,
} from '#lib/rules/settings.ts'
import type { ArgumentView, Presentation } from '#lib/schemas/approvals.ts'
import type { GroupMapping } from '#lib/schemas/members.ts'

type Person = {
  displayName: string
  username: string
  email?: string | null
  kind: string
  status: string
  roles: readonly string[]
}

/** What each guarded role permits; the end of a sentence. */
const means: Partial<Record<Role, string>> = {
  approver: 'decide requests of the approver groups they belong to',
  privacy_officer: 'see sensitive values unmasked, and erase a person’s data',
  tenant_admin: 'manage people, service accounts, secrets and settings of the tenant',
}

const common = {
  onReject: 'Nothing changes.',
  onExpiry: 'The request expires and counts as rejected; nothing changes.',
  onEscalate: 'The escalation group decides instead.',
  reversible: true,
  irreversibleNote: null,
  environment: null,
  agent: null,
  policy: null,
  executionId: null,
  traceId: null,
  position: null,
} satisfies Partial<Presentation>

const irreversible = (irreversibleNote: string) => ({ reversible: false, irreversibleNote })

const listed = (names: readonly string[]): string =>
  names.length === 0 ? 'no one' : new Intl.ListFormat('en', { type: 'conjunction' }).format(names)

const why = (reason: string | undefined): ArgumentView => ({ path: 'reason', value: reason ?? '(not given)' })

/** How certain a person's identity is: an approver needs to know this before granting a role. */
function identityNotes({ displayName, status, email }: Person, askedBy: string): string[] {
  const standing =
    status === 'invited'
      ? `When this was requested, ${displayName} had not set a password yet. Make sure that the one-time link reaches ${displayName}, and not ${askedBy}.`
      : `${displayName} was an active member when this was requested.`
  return email == null
    ? [standing]
    : [
        standing,
        `You also confirm that ${email} is the address of ${displayName}: a link that was sent there proves who controls the account.`,
      ]
}

export function roleGrantPresentation(
  member: Person,
  roles: readonly string[],
  askedBy: string,
  reason: string | undefined,
): Presentation {
  const after = [...new Set([...member.roles, ...roles])]
  return {
    ...common,
    title: `Grant ${listed(roles)} to ${member.displayName}`,
    effectLabel: `grant of ${listed(roles)} to ${member.displayName}`,
    verb: 'Grant',
    effects: [
      ...guardedRoles
        .filter((role) => roles.includes(role))
        .map((role) => `${member.displayName} can ${means[role]} (role ${role}), starting with their next request.`),
      ...identityNotes(member, askedBy),
    ],
    risk: roles.includes('tenant_admin') ? 'critical' : 'high',
    action: 'member.grant_roles',
    resource: `member/${member.username}`,
    arguments: [
      { path: 'member', value: member.username },
      ...(member.email == null ? [] : [{ path: 'address', value: member.email }]),
      { path: 'grant', value: [...roles] },
      { path: 'roles before', value: [...member.roles] },
      { path: 'roles after', value: after },
      why(reason),
    ],
    subject: { kind: 'roles', member: member.username, before: [...member.roles], after },
  }
}

const mappingText = ({ issuer, name }: GroupMapping): string => `${name} (${issuer})`

export function groupChangePresentation(
  group: { name: string; displayName: string },
  people: {
    join: readonly Person[]
    leave: readonly Person[]
    after: readonly Person[]
    /** Whom a new mapping names now. */
    named: readonly Person[]
  },
  mappings: { add: readonly GroupMapping[]; remove: readonly GroupMapping[] },
  reason: string | undefined,
): Presentation {
  const names = (persons: readonly Person[]) => persons.map((person) => person.displayName)
  const usernames = (persons: readonly Person[]) => persons.map((person) => person.username)
  const { join, leave, after, named } = people
  const mapped = mappings.add.length > 0 || mappings.remove.length > 0
  return {
    ...common,
    title: `Change who decides in ${group.displayName}`,
    effectLabel: `change of the members of ${group.displayName}`,
    verb: 'Change',
    effects: [
      ...(join.length === 0
        ? []
        : [`${listed(names(join))} can decide requests to ${group.displayName}, including open ones.`]),
      ...(leave.length === 0 ? [] : [`${listed(names(leave))} can no longer decide them.`]),
      ...mappings.add.map(
        ({ issuer, name }) =>
          `Everyone whom ${issuer} puts into “${name}” can decide them, now and later, if their roles permit it. Who that is, is decided there and not here.`,
      ),
      ...(named.length === 0 ? [] : [`In these groups now: ${listed(names(named))}.`]),
      ...mappings.remove.map(({ issuer, name }) => `“${name}” of ${issuer} no longer gives a seat.`),
      after.length === 0 && mapped
        ? `${group.displayName} will consist of the members of the identity provider’s groups alone.`
        : after.length === 0
          ? `${group.displayName} will be empty, so requests to it can’t be made or approved.`
          : `Its members will be ${listed(names(after))}.`,
    ],
    risk:
      group.name === 'change-approvers' || group.name === 'escalation' || mappings.add.length > 0 ? 'critical' : 'high',
    action: 'group.set_members',
    resource: `group/${group.name}`,
    arguments: [
      { path: 'group', value: group.name },
      { path: 'join', value: usernames(join) },
      { path: 'leave', value: usernames(leave) },
      { path: 'members after', value: usernames(after) },
      ...(mapped
        ? [
            { path: 'map groups', value: mappings.add.map(mappingText) },
            { path: 'unmap groups', value: mappings.remove.map(mappingText) },
          ]
        : []),
      why(reason),
    ],
    subject: {
      kind: 'group',
      group: group.name,
      join: usernames(join),
      leave: usernames(leave),
      after: usernames(after),
      ...(mapped ? { map: mappings.add.map(mappingText), unmap: mappings.remove.map(mappingText) } : {}),
    },
  }
}

export function settingsPresentation(
  tenant: { displayName: string; externalId: string },
  changes: readonly SettingChange[],
  reason: string | undefined,
): Presentation {
  const names = listed(changes.map((change) => settingName[change.name]))
  const rules = `the ${changes.length === 1 ? 'rule' : 'rules'} for ${names}`
  const ofProvider = changes.some(({ name }) => providerSettings.includes(name))
  // Whether more or less is allowed afterwards depends on the tokens.
  const weakens = changes.some(({ name }) => !providerSettings.includes(name))
  const deletes = changes.some(({ name }) => deletingSettings.includes(name))
  return {
    ...common,
    title: `${weakens ? `Relax ${rules}` : `Change ${names}`} in ${tenant.displayName}`,
    effectLabel: `change of ${weakens ? rules : names}`,
    verb: weakens ? 'Relax' : 'Change',
    effects: changes.map((change) => change.effect),
    ...(deletes ? irreversible('What has been deleted can’t be restored.') : {}),
    risk: ofProvider || changes.some((change) => change.name === 'separationOfDuties') ? 'critical' : 'high',
    action: 'tenant.update_settings',
    resource: `tenant/${tenant.externalId}`,
    arguments: [
      ...changes.map(({ name, before, after }) => ({
        path: name,
        value: `${settingText(name, before)} → ${settingText(name, after)}`,
      })),
      why(reason),
    ],
    subject: { kind: 'settings', changes: changes.map(({ name, before, after }) => ({ name, before, after })) },
  }
}

export function passwordResetPresentation(
  member: Person & { email: string | null },
  askedBy: string,
  reason: string | undefined,
  byMail: boolean,
): Presentation {
  const recipient = byMail && member.email !== null ? member.email : askedBy
  return {
    ...common,
    title: `Reset the password of ${member.displayName}`,
    effectLabel: `password reset of ${member.displayName}`,
    verb: 'Reset',
    effects: [
      `${recipient} gets a one-time link. Anyone who has this link can sign in as ${member.displayName}, who has the ${member.roles.length === 1 ? 'role' : 'roles'} ${listed(member.roles)}.`,
      `Until it is proved that ${member.displayName} controls the account, ${askedBy} and ${member.displayName} count as one person.`,
      `${member.displayName} is signed out everywhere when the link is created, and the old password and the passkeys stop working.`,
      `Before you approve, ask ${member.displayName} through another channel whether they want this.`,
    ],
    ...irreversible('The old password and the passkeys can’t be restored.'),
    risk: 'critical',
    action: 'member.reset_password',
    resource: `member/${member.username}`,
    arguments: [
      { path: 'member', value: member.username },
      { path: 'roles', value: [...member.roles] },
      { path: 'link recipient', value: recipient },
      why(reason),
    ],
    subject: { kind: 'password', member: member.username },
  }
}
