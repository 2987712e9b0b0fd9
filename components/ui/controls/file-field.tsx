'use client'

import { type ComponentPropsWithRef, useId } from 'react'
import { describedBy, Field, type FieldProps } from './field.tsx'

type FileFieldProps = FieldProps &
  Pick<ComponentPropsWithRef<'input'>, 'accept'> & {
    /** Undefined when the person removes the file. */
    onFile: (file: File | undefined) => void
  }

/** One file, which the browser names next to its button. */
export function FileField({ label, hint, error, accept, onFile }: FileFieldProps) {
  const id = useId()
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <input
        id={id}
        type="file"
        accept={accept}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, { label, hint, error })}
        onChange={({ target }) => onFile(target.files?.[0])}
        className="max-w-full file:mr-3 file:min-h-9 file:border file:border-line-strong file:bg-surface file:px-3 file:py-1.5 file:text-ink"
      />
    </Field>
  )
}
