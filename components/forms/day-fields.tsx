'use client'

import * as t from '#components/texts/form-days/en.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
import type { Days, DaysProblem } from './days.ts'

type DayFieldsProps = {
  days: Days
  onChange: (days: Days) => void
  problem?: DaysProblem | undefined
  locked: boolean
}

/** A first and a last day in UTC, both included. */
export function DayFields({ days, onChange, problem, locked }: DayFieldsProps) {
  const errorAt = (field: keyof Days) => (problem?.field === field ? problem.message : undefined)
  return (
    <div className="grid grid-cols-1 gap-4 narrow:grid-cols-2">
      <TextField
        label={t.firstDay}
        type="date"
        value={days.first}
        onChange={(event) => onChange({ ...days, first: event.target.value })}
        error={errorAt('first')}
        readOnly={locked}
      />
      <TextField
        label={t.lastDay}
        type="date"
        value={days.last}
        onChange={(event) => onChange({ ...days, last: event.target.value })}
        error={errorAt('last')}
        readOnly={locked}
      />
    </div>
  )
}
