'use client'

import { formatPeriod } from '#components/evidence/period.ts'
import { DayFields } from '#components/forms/day-fields.tsx'
import type { Days, DaysProblem } from '#components/forms/days.ts'
import * as t from '#components/texts/evidence/en.ts'
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
        legend={t.daysInUtc}
        value={preset}
        onChange={onPreset}
        locked={locked}
        options={[
          ...(same === undefined
            ? []
            : [{ value: 'same' as const, label: t.asBefore, consequence: formatPeriod(same) }]),
          { value: 'today', label: t.today, consequence: t.fromMidnightUtcUntil },
          { value: 'week', label: t.last7Days, consequence: t.todayAndSixDays },
          { value: 'custom', label: t.otherDays, consequence: t.fromFirstDayTo },
        ]}
      />
      {preset === 'custom' && <DayFields days={custom} onChange={onCustom} problem={problem} locked={locked} />}
    </>
  )
}
