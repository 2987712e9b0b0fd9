import type { SettingsPatch, SettingValue, TenantSettings } from '#lib/schemas/tenants.ts'

type Name = keyof TenantSettings

/** One setting that gets another value, and what that means from then on. */
export type SettingChange = {
  name: Name
  before: SettingValue
  after: SettingValue
  effect: string
}

/** A setting's name as a sentence has it. */
export const settingName: Record<Name, string> = {
  separationOfDuties: 'separation of duties',
  machineDecisions: 'decisions by machines',
  unmaskSecondPerson: 'a second person for unmasking',
  passkeyForTiers: 'passkeys for approvals',
  retentionDays: 'retention',
}

const kept = (days: number | null) => (days === null ? Number.POSITIVE_INFINITY : days)

const effects: { [K in Name]: (value: TenantSettings[K]) => string } = {
  separationOfDuties: (value) =>
    value === 'off'
      ? 'Whoever asks for something can approve it themselves, in all requests that are open or made later.'
      : 'Whoever asks for something can no longer approve it themselves.',
  machineDecisions: (value) =>
    value === 'on'
      ? 'Service accounts with the permission can approve requests without a person.'
      : 'Service accounts can no longer approve requests.',
  unmaskSecondPerson: (value) =>
    value === 'off'
      ? 'One privacy officer alone can see sensitive values in clear.'
      : 'Seeing a sensitive value in clear takes a second person.',
  passkeyForTiers: (tiers) =>
    tiers.length === 0
      ? 'Whoever has an approver’s session can approve in their name, whatever the risk.'
      : `Approving what is of ${listed(tiers)} risk takes the approver’s passkey; the rest does not.`,
  retentionDays: (value) =>
    value === null
      ? 'Nothing is deleted by age.'
      : `What is older than ${value} days is deleted and can’t be shown to an auditor.`,
}

const isWeaker: { [K in Name]: (before: TenantSettings[K], after: TenantSettings[K]) => boolean } = {
  separationOfDuties: (_before, after) => after === 'off',
  machineDecisions: (_before, after) => after === 'on',
  unmaskSecondPerson: (_before, after) => after === 'off',
  passkeyForTiers: (before, after) => before.some((tier) => !after.includes(tier)),
  retentionDays: (before, after) => kept(after) < kept(before),
}

const listed = (names: readonly string[]): string => new Intl.ListFormat('en', { type: 'conjunction' }).format(names)

const asSet = (value: readonly string[]): string => [...new Set(value)].sort().join(' ')

/** A list of tiers is a set: order and repetition say nothing. */
export const isSameValue = (one: SettingValue | undefined, other: SettingValue | undefined): boolean =>
  Array.isArray(one) && Array.isArray(other) ? asSet(one) === asSet(other) : one === other

/** A value as a sentence has it. */
export function settingText(value: SettingValue): string {
  if (value === null) return 'for ever'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : listed(value)
  return typeof value === 'number' ? `${value} days` : value
}

/** What `patch` changes: `atOnce` makes the tenant safer or leaves it as safe, `ask` makes it weaker and needs an approval. */
export function splitSettings(
  before: TenantSettings,
  patch: SettingsPatch,
): { atOnce: SettingChange[]; ask: SettingChange[] } {
  const changes = [
    changeOf('separationOfDuties', before, patch),
    changeOf('machineDecisions', before, patch),
    changeOf('unmaskSecondPerson', before, patch),
    changeOf('passkeyForTiers', before, patch),
    changeOf('retentionDays', before, patch),
  ].filter((change) => change !== undefined)
  return {
    atOnce: changes.filter((change) => !change.weaker).map(({ weaker: _, ...change }) => change),
    ask: changes.filter((change) => change.weaker).map(({ weaker: _, ...change }) => change),
  }
}

function changeOf<K extends Name>(name: K, settings: TenantSettings, patch: SettingsPatch) {
  const before: TenantSettings[K] = settings[name]
  const after = patch[name] as TenantSettings[K] | undefined
  if (after === undefined || isSameValue(before, after)) return undefined
  return { name, before, after, effect: effects[name](after), weaker: isWeaker[name](before, after) }
}
