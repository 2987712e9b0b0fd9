'use client'

import { useId } from 'react'
import { CONTROL, describedBy, Field, type FieldProps } from '#components/ui/controls/field.tsx'

type SelectFieldProps = FieldProps & {
  /** '' while nothing is chosen. */
  value: string
  onChange: (value: string) => void
  options: { value: string; label: string }[]
  /** Shown while nothing is chosen. */
  placeholder: string
}

/** A choice among many options, with the browser's control. */
export function SelectField({ label, hint, error, value, onChange, options, placeholder }: SelectFieldProps) {
  const id = useId()
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, { label, hint, error })}
        className={`${CONTROL} min-h-9`}
      >
        {value === '' && <option value="">{placeholder}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Field>
  )
}
