import type { ReactNode } from 'react'
import { classNames } from '#components/ui/text/class-names.ts'

type PillProps = { pressed: boolean; onPress: () => void; children: ReactNode }

/** A filter of a trace that is on or off. */
export function Pill({ pressed, onPress, children }: PillProps) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onPress}
      className={classNames(
        'inline-flex min-h-7 items-center gap-1.5 border px-2 text-dense',
        pressed
          ? 'border-ink bg-selected font-semibold text-ink'
          : 'border-line-strong bg-surface text-ink-2 hover:bg-selected',
      )}
    >
      {children}
    </button>
  )
}
