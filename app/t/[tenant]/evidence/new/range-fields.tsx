'use client'

import { formatPeriod } from '#components/evidence/period.ts'
import { DayFields } from '#components/forms/day-fields.tsx'
import type { Days, DaysProblem } from '#components/forms/days.ts'
import { RadioCards } from '#components/ui/controls/radio-cards.tsx'
import type { Preset, Range } from './range.ts'

type RangeFieldsProps = {
  preset: Preset
  onPreset: (preset: Preset) => void
  /** The period of an earlier export, if the form begins with one. */
  same: Range | undefined
  custom: Days
  onCustom: (days: Days) => void
  problem: DaysProblem | undefined
  locked: boolean
}

export function RangeFields({ preset, onPreset, same, custom, onCustom, problem, locked }: RangeFieldsProps) {
  return (
    <>
      <RadioCards
        legend="Days, in UTC"
        value={preset}
        onChange={onPreset}
        locked={locked}
        options={[
          ...(same === undefined
            ? []
            : [{ value: 'same' as const, label: 'As before', consequence: formatPeriod(same) }]),
          { value: 'today', label: 'Today', consequence: 'From midnight UTC until now.' },
          { value: 'week', label: 'Last 7 days', consequence: 'Today and the six days before it.' },
          { value: 'custom', label: 'Other days', consequence: 'From a first day to a last day, both included.' },
        ]}
      />
      {preset === 'custom' && <DayFields days={custom} onChange={onCustom} problem={problem} locked={locked} />}
    </>
  )
}
