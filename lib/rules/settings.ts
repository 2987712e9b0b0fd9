import { listFormat } from '#lib/formatters.ts'
import type { RoleMappingEntry, SettingsPatch, SettingValue, TenantSettings } from '#lib/schemas/tenants.ts'
import { guardedRoles } from './members.ts'

type Name = keyof TenantSettings

/** A change of one setting, and its effect. */
export type SettingChange = {
  name: Name
  before: SettingValue
  after: SettingValue
  effect: string
}

/** A setting's name for use in a sentence. */
export const settingName: Record<Name, string> = {
  separationOfDuties: 'separation of duties',
  machineDecisions: 'decisions by machines',
  unmaskSecondPerson: 'a second person for unmasking',
  passkeyForTiers: 'passkeys for approvals',
  readingSeconds: 'time to read before an approval',
  retentionDays: 'retention',
  archiveRetentionDays: 'retention of archives',
  archivesOnErasure: 'archives on erasure',
  clientRegistration: 'registration of programs',
  rolesFrom: 'the source of roles',
  roleClaim: 'the claim that names roles',
  roleMapping: 'the roles that names at the provider give',
  groupClaim: 'the claim that names groups',
}

/** Settings that let an identity provider decide what people may do here: each change of them needs approval. */
export const providerSettings: readonly Name[] = ['rolesFrom', 'roleClaim', 'roleMapping', 'groupClaim']

/** Settings by which stored data is deleted: raising them again does not bring it back. */
export const deletingSettings: readonly Name[] = ['retentionDays', 'archiveRetentionDays', 'archivesOnErasure']

const kept = (days: number | null) => (days === null ? Number.POSITIVE_INFINITY : days)

const effects: { [K in Name]: (value: TenantSettings[K]) => string } = {
  separationOfDuties: (value) =>
    value === 'off'
      ? 'Requesters can approve their own requests, including open ones.'
      : 'Requesters can no longer approve their own requests.',
  machineDecisions: (value) =>
    value === 'on'
      ? 'Service accounts with the permission can approve requests without a person.'
      : 'Service accounts can no longer approve requests.',
  unmaskSecondPerson: (value) =>
    value === 'off'
      ? 'A privacy officer can unmask sensitive values alone.'
      : 'Unmasking a sensitive value requires a second person.',
  passkeyForTiers: (tiers) =>
    tiers.length === 0
      ? 'Anyone with access to an approver’s session can approve in their name, whatever the risk.'
      : `Approving requests of ${listed(tiers)} risk requires the approver’s passkey; other requests do not.`,
  readingSeconds: (value) =>
    value === null
      ? 'Requests of high and critical risk can be approved the moment they are opened.'
      : `Requests of high and critical risk can be approved ${value} seconds after the approver has opened them.`,
  retentionDays: (value) =>
    value === null
      ? 'Nothing is deleted by age.'
      : `Data older than ${value} days is deleted and can’t be shown to an auditor.`,
  archiveRetentionDays: (value) =>
    value === null
      ? 'Evidence archives are not deleted by age.'
      : `Evidence archives are deleted ${value} days after they were made; their digests stay.`,
  archivesOnErasure: (value) =>
    value === 'delete'
      ? 'An erasure deletes the evidence archives that contain the subject; their digests stay.'
      : 'An erasure marks the evidence archives that contain the subject, and keeps them.',
  clientRegistration: (value) =>
    value === 'on'
      ? 'Any MCP client can register itself, and then ask people to let it call tools in their name.'
      : 'MCP clients can no longer register themselves, and those that did can no longer get tokens.',
  rolesFrom: (value) =>
    value === 'token'
      ? 'Each token sets the roles of its member: anyone who administers the identity provider can give every role that is mapped, and Members can no longer set them.'
      : 'A role needs both the membership and the token. Each membership keeps the roles of its last token, and Members sets them.',
  roleClaim: (value) => `Roles are read from the claim ${value} of each token.`,
  roleMapping: (entries) =>
    entries.length === 0
      ? 'Only the names of our roles count, as far as a token may give them.'
      : `At the identity provider, ${listed(entries.map(entryText))}.`,
  groupClaim: (value) => `Groups are read from the claim ${value} of each token.`,
}

const entryText = ({ issuer, name, role }: RoleMappingEntry): string => `“${name}” of ${issuer} gives ${role}`

/** The guarded roles that the mapping gives, for a warning. */
export const guardedByMapping = (entries: readonly RoleMappingEntry[]): string[] =>
  guardedRoles.filter((role) => entries.some((entry) => entry.role === role))

const isWeaker: { [K in Name]: (before: TenantSettings[K], after: TenantSettings[K]) => boolean } = {
  separationOfDuties: (_before, after) => after === 'off',
  machineDecisions: (_before, after) => after === 'on',
  unmaskSecondPerson: (_before, after) => after === 'off',
  passkeyForTiers: (before, after) => before.some((tier) => !after.includes(tier)),
  readingSeconds: (before, after) => (after ?? 0) < (before ?? 0),
  retentionDays: (before, after) => kept(after) < kept(before),
  archiveRetentionDays: (before, after) => kept(after) < kept(before),
  // Evidence is deleted that would be kept, so a second person agrees.
  archivesOnErasure: (_before, after) => after === 'delete',
  clientRegistration: (_before, after) => after === 'on',
  // Whether fewer or more people get a role depends on the tokens, which no one here can see in advance.
  rolesFrom: () => true,
  roleClaim: () => true,
  roleMapping: () => true,
  groupClaim: () => true,
}

/** The values that make a tenant less safe than a new one is. */
const dangerous: { [K in Name]?: (value: TenantSettings[K]) => boolean } = {
  separationOfDuties: (value) => value === 'off',
  machineDecisions: (value) => value === 'on',
  archivesOnErasure: (value) => value === 'delete',
  clientRegistration: (value) => value === 'on',
  rolesFrom: (value) => value === 'token',
}

/** The settings that are less safe than those of a new tenant, each with its effect. */
export const dangersOf = (settings: TenantSettings): { name: Name; effect: string }[] =>
  (Object.keys(dangerous) as Name[]).flatMap((name) => danger(name, settings) ?? [])

function danger<K extends Name>(name: K, settings: TenantSettings): { name: K; effect: string } | undefined {
  return dangerous[name]?.(settings[name]) === true ? { name, effect: effects[name](settings[name]) } : undefined
}

const listed = (names: readonly string[]): string => listFormat('en-GB', { type: 'conjunction' }).format(names)

const textOf = (value: string | RoleMappingEntry): string =>
  typeof value === 'string' ? value : JSON.stringify([value.issuer, value.name, value.role])

const asSet = (value: readonly (string | RoleMappingEntry)[]): string =>
  [...new Set(value.map(textOf))].sort().join(' ')

/** A list is a set: order and repetition are ignored. */
export const isSameValue = (one: SettingValue | undefined, other: SettingValue | undefined): boolean =>
  Array.isArray(one) && Array.isArray(other) ? asSet(one) === asSet(other) : one === other

/** A setting's value for use in a sentence. */
export function settingText(name: string, value: SettingValue): string {
  if (name === 'readingSeconds') return value === null ? 'none' : `${value} seconds`
  if (value === null) return 'no limit'
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : listed(value.map((one) => (typeof one === 'string' ? one : entryText(one))))
  return typeof value === 'number' ? `${value} days` : value
}

/** Splits the changes in `patch`: `immediate` do not weaken the tenant, `proposed` do and require an approval. */
export function splitSettings(
  before: TenantSettings,
  patch: SettingsPatch,
): { immediate: SettingChange[]; proposed: SettingChange[] } {
  const changes = [
    changeOf('separationOfDuties', before, patch),
    changeOf('machineDecisions', before, patch),
    changeOf('unmaskSecondPerson', before, patch),
    changeOf('passkeyForTiers', before, patch),
    changeOf('readingSeconds', before, patch),
    changeOf('retentionDays', before, patch),
    changeOf('archiveRetentionDays', before, patch),
    changeOf('archivesOnErasure', before, patch),
    changeOf('clientRegistration', before, patch),
    changeOf('rolesFrom', before, patch),
    changeOf('roleClaim', before, patch),
    changeOf('roleMapping', before, patch),
    changeOf('groupClaim', before, patch),
  ].filter((change) => change !== undefined)
  return {
    immediate: changes.filter((change) => !change.weaker).map(({ weaker: _, ...change }) => change),
    proposed: changes.filter((change) => change.weaker).map(({ weaker: _, ...change }) => change),
  }
}

function changeOf<K extends Name>(name: K, settings: TenantSettings, patch: SettingsPatch) {
  const before: TenantSettings[K] = settings[name]
  const after = patch[name] as TenantSettings[K] | undefined
  if (after === undefined || isSameValue(before, after)) return undefined
  return { name, before, after, effect: effects[name](after), weaker: isWeaker[name](before, after) }
}
