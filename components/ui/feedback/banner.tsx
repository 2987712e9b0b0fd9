import type { ReactNode } from 'react'
import { TONE_BORDER, TONE_SOFT, type Tone } from '#components/ui/status/tone.ts'
import { classNames } from '#components/ui/text/class-names.ts'

type BannerProps = {
  tone: Tone
  children: ReactNode
  /** A control at the end: "Re-mask", "Resume". */
  action?: ReactNode
  /** `alert` interrupts a screen reader; use it only if the person must act immediately. */
  urgency?: 'status' | 'alert' | 'none'
}

/** A line across a page or panel about its state: offline, unmasked, demo, "can't be undone". */
export function Banner({ tone, children, action, urgency = 'status' }: BannerProps) {
  return (
    <div
      role={urgency === 'none' ? undefined : urgency}
      className={classNames(
        'flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-l-3 px-3 py-2',
        TONE_SOFT[tone],
        TONE_BORDER[tone],
      )}
    >
      <div className="min-w-0 flex-1 basis-60">{children}</div>
      {action}
    </div>
  )
}
