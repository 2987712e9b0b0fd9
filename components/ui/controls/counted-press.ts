'use client'

import { useEffect } from 'react'

const controls = 'a[href], button, input, label, summary'

/** A pointer that moved farther left the control on purpose, in CSS pixels. */
const most = 4

/**
 * A press counts for the control on which it began, even if the page moves that control away before the button is released, as when something
 * arrives above it. The browser would send the click to what contains both places, and the press would do nothing.
 */
export function useCountedPress(): void {
  useEffect(() => {
    let pressed: { control: HTMLElement; x: number; y: number } | undefined
    const begin = ({ target, isPrimary, button, clientX, clientY }: PointerEvent) => {
      const control =
        target instanceof Element && isPrimary && button === 0 ? target.closest<HTMLElement>(controls) : null
      pressed = control === null ? undefined : { control, x: clientX, y: clientY }
    }
    const end = (event: MouseEvent) => {
      // A key clicks without a pointer.
      if (pressed === undefined || !event.isTrusted || event.detail === 0) return
      const { control, x, y } = pressed
      pressed = undefined
      const lost = control.isConnected && event.target instanceof Node && !control.contains(event.target)
      const stayed = Math.abs(event.clientX - x) <= most && Math.abs(event.clientY - y) <= most
      if (!lost || !stayed || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      event.stopImmediatePropagation()
      control.click()
    }
    window.addEventListener('pointerdown', begin, true)
    window.addEventListener('click', end, true)
    return () => {
      window.removeEventListener('pointerdown', begin, true)
      window.removeEventListener('click', end, true)
    }
  }, [])
}
