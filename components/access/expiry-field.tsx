'use client'

import { SelectField } from '#components/forms/select-field.tsx'
import { Time } from '#components/ui/text/time.tsx'

const DAY_MS = 86_400_000

/** `at` is computed when chosen, so that submitting the same form again is the same request. */
export type Expiry = { choice: string; at: string | undefined }

const CHOICES = [
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'never', label: 'Never' },
]

export const expiryOf = (choice: string, now: number): Expiry => ({
  choice,
  at: choice === 'never' ? undefined : new Date(now + Number(choice) * DAY_MS).toISOString(),
})

type ExpiryFieldProps = {
  value: Expiry
  onChange: (expiry: Expiry) => void
  /** The credential always expires. */
  always?: true
}

/** The expiry of a key, token or secret. */
export function ExpiryField({ value, onChange, always }: ExpiryFieldProps) {
  return (
    <SelectField
      label="Expires"
      value={value.choice}
      onChange={(choice) => onChange(expiryOf(choice, Date.now()))}
      options={always ? CHOICES.filter((choice) => choice.value !== 'never') : CHOICES}
      placeholder="Choose when it expires"
      hint={
        value.at === undefined ? (
          'It works until it is revoked.'
        ) : (
          <>
            Works until <Time at={value.at} show="absolute" />.
          </>
        )
      }
    />
  )
}
