'use client'

import type { ReactNode } from 'react'
import * as t from '#components/texts/forms/en.ts'
import { TextArea } from '#components/ui/controls/text-field.tsx'
import { limits } from '#lib/limits.ts'

type ReasonFieldProps = {
  value: string
  onChange: (reason: string) => void
  hint?: ReactNode
  locked: boolean
}

/** The reason for the audit record, with the length that the API allows. */
export function ReasonField({ value, onChange, hint, locked }: ReasonFieldProps) {
  return (
    <TextArea
      label={t.reason}
      hint={hint ?? t.reasonHint}
      limit={limits.reason}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      readOnly={locked}
    />
  )
}
