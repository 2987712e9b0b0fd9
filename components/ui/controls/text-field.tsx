'use client'

import { type ComponentPropsWithRef, useId } from 'react'
import * as t from '#components/texts/ui/en.ts'
import { classNames } from '#components/ui/text/class-names.ts'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { CONTROL, describedBy, Field, type FieldProps } from './field.tsx'

type TextFieldProps = FieldProps & Omit<ComponentPropsWithRef<'input'>, 'id'>

/** One line of text. */
export function TextField({ label, hint, error, className, ...input }: TextFieldProps) {
  const id = useId()
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <input
        {...input}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, { label, hint, error })}
        className={classNames(CONTROL, 'min-h-9', className)}
      />
    </Field>
  )
}

type TextAreaProps = FieldProps &
  Omit<ComponentPropsWithRef<'textarea'>, 'id' | 'value' | 'maxLength'> & {
    value: string
    /** The server's limit in characters. Longer text is marked as too long, never truncated. */
    limit?: number
  }

/** Several lines of text, counted against the limit. */
export function TextArea({ label, hint, error, limit, value, className, rows = 3, ...area }: TextAreaProps) {
  const id = useId()
  const over = limit === undefined ? 0 : value.length - limit
  const problem = over > 0 ? t.tooLong({ over }) : error
  return (
    <Field
      id={id}
      label={label}
      hint={hint}
      error={problem}
      aside={limit !== undefined && <Counter id={`${id}-count`} length={value.length} limit={limit} />}
    >
      <textarea
        {...area}
        id={id}
        rows={rows}
        value={value}
        aria-invalid={problem ? true : undefined}
        aria-describedby={describedBy(id, { label, hint, error: problem }, limit !== undefined)}
        className={classNames(CONTROL, 'resize-y', className)}
      />
    </Field>
  )
}

function Counter({ id, length, limit }: { id: string; length: number; limit: number }) {
  return (
    <span id={id} className={classNames('shrink-0', length > limit ? 'text-danger' : 'text-ink-2')}>
      <span aria-hidden="true">
        {length} / {limit}
      </span>
      <VisuallyHidden>{t.counter({ length, limit })}</VisuallyHidden>
    </span>
  )
}
