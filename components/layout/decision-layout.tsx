'use client'

import { type ReactNode, useEffect, useId, useRef } from 'react'
import * as t from '#components/texts/shell/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { classNames } from '#components/ui/text/class-names.ts'

type DecisionLayoutProps = {
  /** The case: header and sections, at most 860 px wide. */
  children: ReactNode
  /** Heading of the rail: "Decide", afterwards "Decided". */
  railTitle: string
  rail: ReactNode
  sheet: Sheet
}

/** Below a width of 900 px the rail is a sheet at the foot of the window. */
export type Sheet = {
  /** What stays at the foot while the sheet is closed. */
  bar: ReactNode
  open: boolean
  onClose: () => void
}

/** The case on the left and the decision on the right or in a sheet, always within reach. */
export function DecisionLayout({ children, railTitle, rail, sheet }: DecisionLayoutProps) {
  const headingId = useId()
  const { region, close } = useSheetFocus(sheet)
  return (
    <div className="thumbs flex grow flex-col rail:grid rail:grid-cols-[minmax(0,1fr)_clamp(17.5rem,27vw,23.25rem)]">
      <div className="flex max-w-[57.25rem] flex-col gap-5 px-3 pt-4 pb-12 max-rail:pb-44 rail:px-7 print:pb-4">
        {children}
      </div>
      <section
        ref={region}
        aria-labelledby={headingId}
        data-sheet=""
        className="border-line border-t bg-surface max-rail:fixed max-rail:inset-x-0 max-rail:bottom-0 max-rail:z-20 max-rail:max-h-[85dvh] max-rail:overflow-y-auto max-rail:border-line-strong rail:border-t-0 rail:border-l print:hidden"
      >
        <div className={classNames('px-3 py-2.5 rail:hidden', sheet.open && 'hidden')}>{sheet.bar}</div>
        <div
          className={classNames(
            'flex flex-col gap-4 px-3 py-4 rail:sticky rail:top-13 rail:max-h-[calc(100dvh-3.25rem)] rail:overflow-y-auto rail:px-4.5',
            !sheet.open && 'max-rail:hidden',
          )}
        >
          <div className="flex items-center justify-between gap-x-4">
            <h2 id={headingId}>{railTitle}</h2>
            <div className="rail:hidden">
              <Button ref={close} variant="quiet" onClick={sheet.onClose}>
                {t.backToCase}
              </Button>
            </div>
          </div>
          {rail}
        </div>
      </section>
    </div>
  )
}

/** The focus follows the sheet: to the chosen option when it opens, and back to the bar when it closes. */
function useSheetFocus({ open }: Sheet) {
  const region = useRef<HTMLElement>(null)
  const close = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(open)
  useEffect(() => {
    if (wasOpen.current === open) return
    wasOpen.current = open
    const { current } = region
    if (open) {
      // A key that chose an option has moved the focus into the reason. The pressed button keeps it for a moment, but is hidden.
      const focused = document.activeElement
      if (!(current?.contains(focused) === true && focused?.checkVisibility() === true))
        (current?.querySelector<HTMLElement>('input[type="radio"]:checked') ?? close.current)?.focus()
    } else current?.querySelector<HTMLElement>('button')?.focus()
  }, [open])
  return { region, close }
}
