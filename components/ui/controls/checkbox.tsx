'use client'

import { type ReactNode, useId } from 'react'
import { classNames } from '#components/ui/text/class-names.ts'

type CheckboxProps = {
  /** The confirmed fact or the setting, as a statement. */
  label: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  /** Why it can't be changed; shown below and announced. */
  disabledReason?: string | undefined
  /** Locked while a call is in progress. */
  locked?: boolean
}

export function Checkbox({ label, checked, onChange, disabledReason, locked = false }: CheckboxProps) {
  const id = useId()
  const blocked = locked || disabledReason !== undefined
  return (
    <div className="grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-2">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-disabled={blocked || undefined}
        aria-describedby={disabledReason === undefined ? undefined : `${id}-reason`}
        onChange={(event) => {
          if (!blocked) onChange(event.target.checked)
        }}
        className="check-mark"
      />
      <label
        htmlFor={id}
        className={classNames(
          'py-0.5 max-rail:min-h-11',
          disabledReason !== undefined && 'text-ink-3',
          blocked && 'cursor-not-allowed',
        )}
      >
        {label}
      </label>
      {disabledReason !== undefined && (
        <span id={`${id}-reason`} className="col-start-2 text-dense text-ink-2">
          {disabledReason}
        </span>
      )}
    </div>
  )
}
