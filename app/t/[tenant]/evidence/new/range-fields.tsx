'use client'

import type { Days, DaysProblem } from '#components/forms/days.ts'
import { RadioCards } from '#components/ui/controls/radio-cards.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import type { Preset } from './range.ts'

type RangeFieldsProps = {
  preset: Preset
  onPreset: (preset: Preset) => void
  custom: Days
  onCustom: (days: Days) => void
  problem: DaysProblem | undefined
  locked: boolean
}

export function RangeFields({ preset, onPreset, custom, onCustom, problem, locked }: RangeFieldsProps) {
  const errorAt = (field: DaysProblem['field']) => (problem?.field === field ? problem.message : undefined)
  return (
    <>
      <RadioCards
        legend="Days, in UTC"
        value={preset}
        onChange={onPreset}
        locked={locked}
        options={[
          { value: 'today', label: 'Today', consequence: 'From midnight UTC until now.' },
          { value: 'week', label: 'Last 7 days', consequence: 'Today and the six days before it.' },
          { value: 'custom', label: 'Other days', consequence: 'From a first day to a last day, both included.' },
        ]}
      />
      {preset === 'custom' && (
        <div className="grid gap-4 narrow:grid-cols-2">
          <TextField
            label="First day (UTC)"
            type="date"
            value={custom.first}
            readOnly={locked}
            onChange={(event) => onCustom({ ...custom, first: event.target.value })}
            error={errorAt('first')}
          />
          <TextField
            label="Last day (UTC)"
            type="date"
            value={custom.last}
            readOnly={locked}
            onChange={(event) => onCustom({ ...custom, last: event.target.value })}
            error={errorAt('last')}
          />
        </div>
      )}
    </>
  )
}
