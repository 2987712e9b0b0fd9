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

/** The controls for the rules, one for each. */
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
            consequence: 'No one can decide requests of their own, of their agents or of their service accounts.',
          },
          { value: 'off', label: 'Off', consequence: 'Requesters can approve their own requests.' },
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
            consequence:
              'Service accounts with the permission can decide, too. The record of each such decision shows it.',
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
            consequence: 'A sensitive value is shown after a second person approves.',
          },
          {
            value: 'off',
            label: 'Off',
            consequence: 'A privacy officer can see sensitive values without a second person. Each time is recorded.',
          },
        ]}
      />
      <TierBoxes
        chosen={settings.passkeyForTiers}
        onChange={(passkeyForTiers) => onChange({ ...settings, passkeyForTiers })}
        locked={locked}
      />
      <SelectField
        label="Time to read before an approval"
        hint="How long a request of high or critical risk must have been open before its reader can approve it. It can be rejected at any time. A shorter time is a weaker rule."
        value={String(settings.readingSeconds ?? 'none')}
        onChange={(value) => {
          if (!locked) onChange({ ...settings, readingSeconds: value === 'none' ? null : Number(value) })
        }}
        options={readingTimes(settings.readingSeconds)}
        placeholder="Choose a time"
      />
      <SelectField
        label="Retention"
        hint="How long traces are stored, together with the content of executions, requests, events, mails and files. States, digests and the audit log are not deleted. A shorter retention is a weaker rule."
        value={String(settings.retentionDays ?? 'ever')}
        onChange={(value) => {
          if (!locked) onChange({ ...settings, retentionDays: value === 'ever' ? null : Number(value) })
        }}
        options={retentions(settings.retentionDays)}
        placeholder="Choose a period"
      />
      <SelectField
        label="Retention of archives"
        hint="How long evidence archives are kept after they were made. Their digests stay, and a legal hold delays the deletion. A shorter retention is a weaker rule."
        value={String(settings.archiveRetentionDays ?? 'ever')}
        onChange={(value) => {
          if (!locked) onChange({ ...settings, archiveRetentionDays: value === 'ever' ? null : Number(value) })
        }}
        options={retentions(settings.archiveRetentionDays)}
        placeholder="Choose a period"
      />
      <RadioCards
        legend="Archives that contain erased data"
        value={settings.archivesOnErasure}
        onChange={(archivesOnErasure) => onChange({ ...settings, archivesOnErasure })}
        locked={locked}
        options={[
          { value: 'mark', label: 'Mark', consequence: 'The archive stays and says that it contains erased data.' },
          { value: 'delete', label: 'Delete', consequence: 'The erasure deletes the archive; its digests stay.' },
        ]}
      />
      <RadioCards
        legend="Registration of programs"
        value={settings.clientRegistration}
        onChange={(clientRegistration) => onChange({ ...settings, clientRegistration })}
        locked={locked}
        options={[
          {
            value: 'off',
            label: 'Off',
            consequence: 'MCP clients sign people in if they publish a document that names them.',
          },
          {
            value: 'on',
            label: 'On',
            consequence: 'Other MCP clients can register themselves. People still allow each sign-in.',
          },
        ]}
      />
    </>
  )
}

const usualSeconds = [10, 20, 30, 60, 120, 300]

/** Returns the usual times to read and the current one. */
function readingTimes(current: number | null): { value: string; label: string }[] {
  const seconds = [...new Set([...usualSeconds, ...(current === null ? [] : [current])])].sort((a, b) => a - b)
  return [
    { value: 'none', label: 'None' },
    ...seconds.map((count) => ({ value: String(count), label: `${count} seconds` })),
  ]
}

const usual = [90, 180, 365, 1096, 2557, 3653]

/** Returns the usual retention times and the current one. */
function retentions(current: number | null): { value: string; label: string }[] {
  const days = [...new Set([...usual, ...(current === null ? [] : [current])])].sort((a, b) => a - b)
  return [
    { value: 'ever', label: 'Without limit' },
    ...days.reverse().map((count) => ({ value: String(count), label: labelOf(count) })),
  ]
}

const labelOf = (days: number): string =>
  days >= 365 && days % 365 <= Math.ceil(days / 1461)
    ? `${Math.floor(days / 365)} ${days < 730 ? 'year' : 'years'} (${days} days)`
    : `${days} days`
