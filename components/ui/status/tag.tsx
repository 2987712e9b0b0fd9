import type { ReactNode } from 'react'
import { classNames } from '#components/ui/text/class-names.ts'
import { TONE_BORDER, TONE_SOFT, TONE_TEXT, type Tone } from './tone.ts'

/** A short fact in a ruled box: a shape, then words. */
export function Tag({ tone = 'neutral', icon, children }: { tone?: Tone; icon?: ReactNode; children: ReactNode }) {
  return (
    <span
      className={classNames(
        'inline-flex min-h-6 items-center gap-1.5 border px-1.5 text-dense font-semibold',
        TONE_TEXT[tone],
        TONE_SOFT[tone],
        TONE_BORDER[tone],
      )}
    >
      {icon}
      <span>{children}</span>
    </span>
  )
}
