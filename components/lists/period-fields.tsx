'use client'

import { useEffect, useState } from 'react'
import * as t from '#components/texts/lists/en.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { type Days, dayFrom } from './period.ts'

/** First and last day. An incomplete year is not applied. */
export function PeriodFields({ days, onChange }: { days: Days; onChange: (days: Days) => void }) {
  /** Typed text that is not in the address yet. */
  const [draft, setDraft] = useState<Partial<Days>>({})
  const { from, to } = days
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed address replaces the typed text.
  useEffect(() => setDraft({}), [from, to])
  const field = (name: keyof Days, label: string) => (
    <TextField
      label={label}
      type="date"
      value={draft[name] ?? days[name]}
      onChange={({ target: { value } }) => {
        setDraft({ ...draft, [name]: value })
        if (value === '' || dayFrom(value) !== '') onChange({ ...days, [name]: value })
      }}
    />
  )
  return (
    <>
      {field('from', t.from)}
      {field('to', t.to)}
    </>
  )
}
