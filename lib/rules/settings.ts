import type { SettingsPatch, TenantSettings } from '#lib/schemas/tenants.ts'

type Name = keyof TenantSettings

/** One setting that gets another value, and what that means from then on. */
export type SettingChange = {
  name: Name
  before: string | number | null
  after: string | number | null
  effect: string
}

/** A setting's name as a sentence has it. */
export const settingName: Record<Name, string> = {
  separationOfDuties: 'separation of duties',
  machineDecisions: 'decisions by machines',
  unmaskSecondPerson: 'a second person for unmasking',
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
  retentionDays: (value) =>
    value === null
      ? 'Nothing is deleted by age.'
      : `What is older than ${value} days is deleted and can’t be shown to an auditor.`,
}

const isWeaker: { [K in Name]: (before: TenantSettings[K], after: TenantSettings[K]) => boolean } = {
  separationOfDuties: (_before, after) => after === 'off',
  machineDecisions: (_before, after) => after === 'on',
  unmaskSecondPerson: (_before, after) => after === 'off',
  retentionDays: (before, after) => kept(after) < kept(before),
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
  if (after === undefined || after === before) return undefined
  return { name, before, after, effect: effects[name](after), weaker: isWeaker[name](before, after) }
}
