'use client'

import * as Radix from '@radix-ui/react-dialog'
import type { ReactNode } from 'react'
import * as t from '#components/texts/ui/en.ts'
import { CloseIcon } from '#components/ui/status/icons.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { useReturnedFocus } from './returned-focus.ts'

export type DialogProps = {
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

/** A modal dialog: traps the focus, closes on Escape, then restores the focus. */
export function DialogFrame(props: DialogProps) {
  const { open, onOpenChange, title, description, children, actions, placement = 'middle', returnTo } = props
  const focus = useReturnedFocus(returnTo)
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="scrim appear fixed inset-0 z-40" />
        <Radix.Content
          {...focus}
          className={classNames(
            'appear fixed z-50 flex flex-col gap-4 overflow-y-auto border border-line-strong bg-surface p-4 text-ink',
            placement === 'middle'
              ? 'top-1/2 left-1/2 max-h-[calc(100dvh-2rem)] w-[min(35rem,calc(100vw-2rem))] -translate-1/2'
              : placement === 'side'
                ? 'inset-y-0 left-0 w-[min(18rem,calc(100vw-3rem))] border-y-0 border-l-0'
                : 'inset-x-0 bottom-0 max-h-[85dvh] border-x-0 border-t-2 border-b-0',
          )}
        >
          <div className="flex items-start justify-between gap-4">
            <div className="flex flex-col gap-1">
              <Radix.Title>{title}</Radix.Title>
              <Radix.Description className={placement === 'middle' ? 'text-ink-2' : 'sr-only'}>
                {description}
              </Radix.Description>
            </div>
            <Radix.Close
              aria-label={t.close}
              className="-mt-1 -mr-1 inline-grid size-7 shrink-0 max-rail:size-11 place-items-center text-ink-2 hover:bg-selected hover:text-ink"
            >
              <CloseIcon />
            </Radix.Close>
          </div>
          {children}
          {actions && <div className="flex flex-wrap justify-end gap-2">{actions}</div>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
