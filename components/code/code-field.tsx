'use client'

import { useId } from 'react'
import { describedBy, Field } from '#components/ui/controls/field.tsx'
import { type CodeProblem, problemText } from './code-problem.ts'
import { SourceArea } from './source-area.tsx'

type CodeFieldProps = {
  label: string
  hint?: string
  value: string
  onChange: (value: string) => void
  problem: CodeProblem | undefined
  rows?: number
  readOnly?: boolean
}

/** A few lines of source text (JSON): line numbers, the line with the problem marked, the problem below. */
export function CodeField({ label, hint, value, onChange, problem, rows = 10, readOnly }: CodeFieldProps) {
  const id = useId()
  const error = problem && problemText(problem)
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <SourceArea
        id={id}
        rows={rows}
        value={value}
        readOnly={readOnly}
        onChange={onChange}
        marked={new Set([problem?.line])}
        aria-invalid={problem ? true : undefined}
        aria-describedby={describedBy(id, { label, hint, error })}
      />
    </Field>
  )
}
