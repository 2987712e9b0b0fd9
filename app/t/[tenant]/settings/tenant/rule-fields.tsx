'use client'

import { SelectField } from '#components/forms/select-field.tsx'
import { RadioCards } from '#components/ui/controls/radio-cards.tsx'
import type { TenantSettings } from '#lib/schemas/tenants.ts'
import { TierBoxes } from './tier-boxes.tsx'

type RuleFieldsProps = {
  settings: TenantSettings
  onChange: (settings: TenantSettings) => void
  locked: boolean
}

/** One control for each rule. */
export function RuleFields({ settings, onChange, locked }: RuleFieldsProps) {
  return (
    <>
      <RadioCards
        legend="Separation of duties"
        value={settings.separationOfDuties}
        onChange={(separationOfDuties) => onChange({ ...settings, separationOfDuties })}
        locked={locked}
        options={[
          {
            value: 'required',
            label: 'Required',
            consequence: 'Nobody decides what they, their agents or their service accounts asked for.',
          },
          { value: 'off', label: 'Off', consequence: 'Whoever asks for something can approve it themselves.' },
        ]}
      />
      <RadioCards
        legend="Decisions by machines"
        value={settings.machineDecisions}
        onChange={(machineDecisions) => onChange({ ...settings, machineDecisions })}
        locked={locked}
        options={[
          { value: 'off', label: 'Off', consequence: 'Only people decide requests.' },
          {
            value: 'on',
            label: 'On',
            consequence: 'Service accounts with the permission decide, too; each such decision says so.',
          },
        ]}
      />
      <RadioCards
        legend="Second person for unmasking"
        value={settings.unmaskSecondPerson}
        onChange={(unmaskSecondPerson) => onChange({ ...settings, unmaskSecondPerson })}
        locked={locked}
        options={[
          {
            value: 'required',
            label: 'Required',
            consequence: 'A sensitive value is shown once somebody else agreed.',
          },
          {
            value: 'off',
            label: 'Off',
            consequence: 'One privacy officer alone sees sensitive values, on the record.',
          },
        ]}
      />
      <TierBoxes
        chosen={settings.passkeyForTiers}
        onChange={(passkeyForTiers) => onChange({ ...settings, passkeyForTiers })}
        locked={locked}
      />
      <SelectField
        label="Retention"
        hint="How long traces are kept, and what executions, requests, events, mails and files say. States, digests and the audit log stay, and archives. A shorter time is a weaker rule."
        value={String(settings.retentionDays ?? 'ever')}
        onChange={(value) => {
          if (!locked) onChange({ ...settings, retentionDays: value === 'ever' ? null : Number(value) })
        }}
        options={retentions(settings.retentionDays)}
        placeholder="Choose how long"
      />
    </>
  )
}

const usual = [90, 180, 365, 1096, 2557, 3653]

/** The usual times, and the one that is set. */
function retentions(current: number | null): { value: string; label: string }[] {
  const days = [...new Set([...usual, ...(current === null ? [] : [current])])].sort((a, b) => a - b)
  return [
    { value: 'ever', label: 'For ever' },
    ...days.reverse().map((count) => ({ value: String(count), label: labelOf(count) })),
  ]
}

const labelOf = (days: number): string =>
  days >= 365 && days % 365 <= Math.ceil(days / 1461)
    ? `${Math.floor(days / 365)} ${days < 730 ? 'year' : 'years'} (${days} days)`
    : `${days} days`
