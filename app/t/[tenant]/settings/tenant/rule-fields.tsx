'use client'

import { SelectField } from '#components/forms/select-field.tsx'
import * as t from '#components/texts/settings-tenant/en.ts'
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
        legend={t.separationOfDuties}
        value={settings.separationOfDuties}
        onChange={(separationOfDuties) => onChange({ ...settings, separationOfDuties })}
        locked={locked}
        options={[
          {
            value: 'required',
            label: t.required,
            consequence: t.noOneCanDecide,
          },
          { value: 'off', label: t.off, consequence: t.requestersCanApproveTheir },
        ]}
      />
      <RadioCards
        legend={t.decisionsByMachines}
        value={settings.machineDecisions}
        onChange={(machineDecisions) => onChange({ ...settings, machineDecisions })}
        locked={locked}
        options={[
          { value: 'off', label: t.off, consequence: t.onlyPeopleDecideRequests },
          {
            value: 'on',
            label: t.on,
            consequence: t.serviceAccountsWithPermission,
          },
        ]}
      />
      <RadioCards
        legend={t.secondPersonForUnmasking}
        value={settings.unmaskSecondPerson}
        onChange={(unmaskSecondPerson) => onChange({ ...settings, unmaskSecondPerson })}
        locked={locked}
        options={[
          {
            value: 'required',
            label: t.required,
            consequence: t.sensitiveValueIsShown,
          },
          {
            value: 'off',
            label: t.off,
            consequence: t.privacyOfficerCanSee,
          },
        ]}
      />
      <TierBoxes
        chosen={settings.passkeyForTiers}
        onChange={(passkeyForTiers) => onChange({ ...settings, passkeyForTiers })}
        locked={locked}
      />
      <SelectField
        label={t.timeToReadBefore}
        hint={t.howLongRequestOf}
        value={String(settings.readingSeconds ?? 'none')}
        onChange={(value) => {
          if (!locked) onChange({ ...settings, readingSeconds: value === 'none' ? null : Number(value) })
        }}
        options={readingTimes(settings.readingSeconds)}
        placeholder={t.chooseTime}
      />
      <SelectField
        label={t.retention}
        hint={t.howLongTracesAre}
        value={String(settings.retentionDays ?? 'ever')}
        onChange={(value) => {
          if (!locked) onChange({ ...settings, retentionDays: value === 'ever' ? null : Number(value) })
        }}
        options={retentions(settings.retentionDays)}
        placeholder={t.choosePeriod}
      />
      <SelectField
        label={t.retentionOfArchives}
        hint={t.howLongEvidenceArchives}
        value={String(settings.archiveRetentionDays ?? 'ever')}
        onChange={(value) => {
          if (!locked) onChange({ ...settings, archiveRetentionDays: value === 'ever' ? null : Number(value) })
        }}
        options={retentions(settings.archiveRetentionDays)}
        placeholder={t.choosePeriod}
      />
      <RadioCards
        legend={t.archivesThatContainErased}
        value={settings.archivesOnErasure}
        onChange={(archivesOnErasure) => onChange({ ...settings, archivesOnErasure })}
        locked={locked}
        options={[
          { value: 'mark', label: t.mark, consequence: t.archiveStaysAndSays },
          { value: 'delete', label: t.deleteText, consequence: t.erasureDeletesArchiveIts },
        ]}
      />
      <RadioCards
        legend={t.registrationOfPrograms}
        value={settings.clientRegistration}
        onChange={(clientRegistration) => onChange({ ...settings, clientRegistration })}
        locked={locked}
        options={[
          {
            value: 'off',
            label: t.off,
            consequence: t.mcpClientsSignPeople,
          },
          {
            value: 'on',
            label: t.on,
            consequence: t.otherMcpClientsCan,
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
    { value: 'none', label: t.none },
    ...seconds.map((count) => ({ value: String(count), label: t.seconds({ count }) })),
  ]
}

const usual = [90, 180, 365, 1096, 2557, 3653]

/** Returns the usual retention times and the current one. */
function retentions(current: number | null): { value: string; label: string }[] {
  const days = [...new Set([...usual, ...(current === null ? [] : [current])])].sort((a, b) => a - b)
  return [
    { value: 'ever', label: t.withoutLimit },
    ...days.reverse().map((count) => ({ value: String(count), label: labelOf(count) })),
  ]
}

const labelOf = (days: number): string =>
  days >= 365 && days % 365 <= Math.ceil(days / 1461)
    ? t.yearsDays({ years: Math.floor(days / 365), days })
    : t.days({ days })
