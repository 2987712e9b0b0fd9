'use client'

import { type ComponentPropsWithRef, type MouseEvent, type ReactNode, useId } from 'react'
import { classNames } from '#components/ui/text/class-names.ts'
import type { InProgress } from '#components/ui/text/in-progress.ts'

type Variant = 'primary' | 'secondary' | 'quiet'

export type ButtonProps = Omit<ComponentPropsWithRef<'button'>, 'disabled'> & {
  variant?: Variant
  /** Fills the width of its column. */
  wide?: boolean
  /** Why it can't be pressed now, and who or what can change that. Shown below and announced with the button. */
  disabledReason?: ReactNode
  /** The label while the call is in progress. Presses are ignored. */
  busyLabel?: InProgress | undefined
}

const LOOK: Record<Variant, string> = {
  primary: 'border-primary bg-primary text-on-primary font-semibold hover:bg-primary-hover',
  secondary: 'border-line-strong bg-surface text-ink hover:bg-selected',
  quiet: 'border-transparent text-ink underline underline-offset-3 hover:bg-selected',
}

const BLOCKED_LOOK = 'border-line-strong border-dashed bg-sunken text-ink-3'

/** A button stays in the tab order while it can't be pressed, so that its reason can be found. */
export function Button(props: ButtonProps) {
  const { variant = 'secondary', wide, disabledReason, busyLabel, className, children, onClick, ...rest } = props
  const reasonId = useId()
  const blocked = disabledReason !== undefined || busyLabel !== undefined
  function press(event: MouseEvent<HTMLButtonElement>) {
    if (blocked) event.preventDefault()
    else onClick?.(event)
  }
  // The same elements with and without a reason: the button keeps the focus when its reason appears or disappears.
  const place = disabledReason === undefined ? 'contents' : wide ? 'flex' : 'inline-flex'
  return (
    <span className={classNames(place, disabledReason !== undefined && 'flex-col items-start gap-1')}>
      <button
        type="button"
        {...rest}
        onClick={press}
        aria-disabled={blocked || undefined}
        aria-busy={busyLabel !== undefined || undefined}
        aria-describedby={disabledReason === undefined ? rest['aria-describedby'] : reasonId}
        className={classNames(
          'inline-flex min-h-9 items-center max-rail:min-h-11 justify-center gap-2 border px-3 py-1.5 text-center',
          disabledReason === undefined ? LOOK[variant] : BLOCKED_LOOK,
          wide && 'w-full',
          className,
        )}
      >
        {busyLabel ?? children}
      </button>
      {disabledReason !== undefined && (
        <span id={reasonId} className="text-dense text-ink-2">
          {disabledReason}
        </span>
      )}
    </span>
  )
}
