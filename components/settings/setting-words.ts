import { formatList } from '#components/language/formats.ts'
import * as t from '#components/texts/settings-effects/en.ts'
import type { RoleMappingEntry, SettingValue, TenantSettings } from '#lib/schemas/tenants.ts'

// What lib/rules/settings.ts says in English in requests, in the language of the page. A test compares the English of both.

type Name = keyof TenantSettings

const effects: { [K in Name]: (value: TenantSettings[K]) => string } = {
  separationOfDuties: (value) => t.separationOfDuties({ value }),
  machineDecisions: (value) => t.machineDecisions({ value }),
  unmaskSecondPerson: (value) => t.unmaskSecondPerson({ value }),
  passkeyForTiers: (tiers) =>
    tiers.length === 0
      ? t.noPasskey
      : t.passkeyForTiers({ tiers: formatList(tiers.map((tier) => t.choice({ value: tier }))) }),
  readingSeconds: (value) => (value === null ? t.noReading : t.readingSeconds({ seconds: String(value) })),
  retentionDays: (value) => (value === null ? t.noRetention : t.retentionDays({ days: String(value) })),
  archiveRetentionDays: (value) =>
    value === null ? t.noArchiveRetention : t.archiveRetentionDays({ days: String(value) }),
  archivesOnErasure: (value) => t.archivesOnErasure({ value }),
  clientRegistration: (value) => t.clientRegistration({ value }),
  rolesFrom: (value) => t.rolesFrom({ value }),
  roleClaim: (claim) => t.roleClaim({ claim }),
  roleMapping: (entries) =>
    entries.length === 0 ? t.noMapping : t.roleMapping({ entries: formatList(entries.map(entryText)) }),
  groupClaim: (claim) => t.groupClaim({ claim }),
}

const entryText = ({ issuer, name, role }: RoleMappingEntry): string => t.entry({ name, issuer, role })

/** What a value of a setting means. */
export const effectText = <K extends Name>(name: K, value: TenantSettings[K]): string => effects[name](value)

/** A setting's name for use in a sentence. */
export const settingNameText = (name: string): string => t.name({ name })

/** A setting's value for use in a sentence. */
export function settingValueText(name: string, value: SettingValue): string {
  if (name === 'readingSeconds') return value === null ? t.none : t.seconds({ count: String(value) })
  if (value === null) return t.noLimit
  if (Array.isArray(value))
    return value.length === 0
      ? t.none
      : formatList(value.map((one) => (typeof one === 'string' ? t.choice({ value: one }) : entryText(one))))
  return typeof value === 'number' ? t.days({ count: String(value) }) : t.choice({ value })
}
