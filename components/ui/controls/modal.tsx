'use client'

import { type ComponentProps, type ReactNode, useLayoutEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { classNames } from '#components/ui/text/class-names.ts'

type ModalProps = Omit<ComponentProps<'dialog'>, 'open' | 'onClose'> & {
  onClose: () => void
  children: ReactNode
  /** What gets the focus at the end; by default what had it before. */
  returnTo?: (() => HTMLElement | null | undefined) | undefined
}

/**
 * The browser's modal dialog, open as long as it is rendered: the page behind is inert, and Escape or a press outside asks `onClose`,
 * which may refuse.
 */
export function Modal({ onClose, returnTo, className, children, ...rest }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const next = useRef(returnTo)
  useLayoutEffect(() => {
    next.current = returnTo
  })
  useLayoutEffect(() => {
    const element = dialog.current
    const before = document.activeElement
    const release = lockScrolling()
    element?.showModal()
    return () => {
      element?.close()
      release()
      const to = next.current?.() ?? before
      if (to instanceof HTMLElement && to.isConnected) to.focus()
    }
  }, [])
  return createPortal(
    <dialog
      {...rest}
      ref={dialog}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault()
        onClose()
      }}
      onCancel={(event) => {
        // The gesture for “back” of a phone.
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => {
        if (event.target === event.currentTarget && isOutside(event.currentTarget, event)) onClose()
      }}
      className={classNames(
        'appear fixed overflow-y-auto overscroll-contain border border-line-strong bg-surface text-ink',
        className,
      )}
    >
      {children}
    </dialog>,
    document.body,
  )
}

/** The page behind does not scroll, and keeps the width that its scrollbar leaves. */
function lockScrolling(): () => void {
  const { style, clientWidth } = document.documentElement
  const { overflow, scrollbarGutter } = style
  if (window.innerWidth > clientWidth) style.scrollbarGutter = 'stable'
  style.overflow = 'hidden'
  return () => Object.assign(style, { overflow, scrollbarGutter })
}

/** A press on the backdrop is one on the dialog itself. */
function isOutside(element: Element, { clientX, clientY }: { clientX: number; clientY: number }): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect()
  return clientX < left || clientX > right || clientY < top || clientY > bottom
}
