'use client'

import { type ReactNode, useId } from 'react'
import { CloseIcon } from '#components/ui/status/icons.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { Modal } from './modal.tsx'

type DialogProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  /** Read out with the title. */
  description: ReactNode
  children?: ReactNode
  /** The buttons; the one that acts comes last. */
  actions?: ReactNode
  /** `side`: a sheet at the left edge, for navigation on small screens. `foot`: one at the foot, for details there. */
  placement?: 'middle' | 'side' | 'foot'
  /** What gets the focus at the end, for a dialog that an item of a menu opens; by default what had it before. */
  returnTo?: () => HTMLElement | null | undefined
}

/** A modal dialog: keeps the focus, closes on Escape, then restores the focus. */
export function Dialog({ open, ...props }: DialogProps) {
  return open && <Opened {...props} />
}

const PLACES = {
  middle: 'm-auto max-h-[calc(100dvh-2rem)] w-[min(35rem,calc(100vw-2rem))]',
  side: 'inset-y-0 left-0 h-dvh max-h-none w-[min(18rem,calc(100vw-3rem))] border-y-0 border-l-0',
  foot: 'top-auto bottom-0 max-h-[85dvh] w-full max-w-none border-x-0 border-t-2 border-b-0',
}

function Opened(props: Omit<DialogProps, 'open'>) {
  const { onOpenChange, title, description, children, actions, placement = 'middle', returnTo } = props
  const [titleId, descriptionId] = [useId(), useId()]
  return (
    <Modal
      onClose={() => onOpenChange(false)}
      returnTo={returnTo}
      aria-labelledby={titleId}
      aria-describedby={descriptionId}
      className={classNames('flex flex-col gap-4 p-4', PLACES[placement])}
    >
      <div className="flex items-start justify-between gap-4">
        <div className="flex flex-col gap-1">
          <h2 id={titleId}>{title}</h2>
          <p id={descriptionId} className={placement === 'middle' ? 'text-ink-2' : 'sr-only'}>
            {description}
          </p>
        </div>
        <button
          type="button"
          aria-label="Close"
          onClick={() => onOpenChange(false)}
          className="-mt-1 -mr-1 inline-grid size-7 shrink-0 max-rail:size-11 place-items-center text-ink-2 hover:bg-selected hover:text-ink"
        >
          <CloseIcon />
        </button>
      </div>
      {children}
      {actions && <div className="flex flex-wrap justify-end gap-2">{actions}</div>}
    </Modal>
  )
}
