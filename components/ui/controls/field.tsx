import type { ReactNode } from 'react'

export type FieldProps = {
  label: ReactNode
  /** What to enter, and its effect. */
  hint?: ReactNode
  /** What is wrong and how to fix it; set only after the person could fill it in. */
  error?: string | undefined
}

export const CONTROL =
  'w-full border border-line-strong bg-raised px-2 py-1.5 text-ink aria-invalid:border-danger [&[readonly]]:bg-sunken'

/** Label above, then the control, then error and hint, then the counter at the right. */
export function Field(props: FieldProps & { id: string; children: ReactNode; aside?: ReactNode }) {
  const { id, label, hint, error, aside, children } = props
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-semibold text-dense">
        {label}
      </label>
      {children}
      {(error || hint || aside) && (
        <div className="flex items-start justify-between gap-3 text-dense">
          <div className="flex flex-col gap-0.5">
            {error && (
              <span id={`${id}-error`} className="text-danger">
                {error}
              </span>
            )}
            {hint && (
              <span id={`${id}-hint`} className="text-ink-2">
                {hint}
              </span>
            )}
          </div>
          {aside}
        </div>
      )}
    </div>
  )
}

/** The ids of the texts that describe the control, for `aria-describedby`. */
export function describedBy(id: string, { hint, error }: FieldProps, counted = false): string | undefined {
  const ids = [error && `${id}-error`, hint && `${id}-hint`, counted && `${id}-count`].filter((part) => part)
  return ids.length === 0 ? undefined : ids.join(' ')
}
