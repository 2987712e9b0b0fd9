'use client'

import { SelectField } from '#components/forms/select-field.tsx'
import * as t from '#components/texts/access-keys/en.ts'
import { Time } from '#components/ui/text/time.tsx'

const DAY_MS = 86_400_000

/** `at` is computed when chosen, so that submitting the same form again is the same request. */
export type Expiry = { choice: string; at: string | undefined }

const CHOICES = [
  { value: '7', label: t.in7Days },
  { value: '30', label: t.in30Days },
  { value: '90', label: t.in90Days },
  { value: '365', label: t.inYear },
  { value: 'never', label: t.never },
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
  const { at } = value
  return (
    <SelectField
      label={t.expires}
      value={value.choice}
      onChange={(choice) => onChange(expiryOf(choice, Date.now()))}
      options={always ? CHOICES.filter((choice) => choice.value !== 'never') : CHOICES}
      placeholder={t.chooseWhenItExpires}
      hint={at === undefined ? t.itWorksUntilIt : t.worksUntilTime({ at: () => <Time at={at} show="absolute" /> })}
    />
  )
}
