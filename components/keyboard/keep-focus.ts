'use client'

import { useEffect } from 'react'
import { focusPlace, pathOf } from '#components/ui/controls/place.ts'

/**
 * Keeps the focus in the page: when the element that has it is removed, because it was replaced or another person's change
 * arrived, the region that contained it gets the focus. Otherwise the browser would move it to the body: the keyboard
 * would start at the top again, and a screen reader would lose its place.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** The element that has the focus, and what contains it. */
    let path: Element[] = []
    const remember = ({ target }: Event) => {
      path = target instanceof Element ? pathOf(target) : []
    }
    // A press elsewhere leaves the element on purpose.
    const forget = ({ target }: Event) => {
      if (!(target instanceof Node && document.activeElement?.contains(target) === true)) path = []
    }
    const restore = () => {
      const [focused] = path
      if (focused === undefined || focused.isConnected || document.activeElement !== document.body) return
      focusPlace(path)
    }
    const observer = new MutationObserver(restore)
    observer.observe(document.body, { childList: true, subtree: true })
    document.addEventListener('focusin', remember)
    document.addEventListener('pointerdown', forget, true)
    return () => {
      observer.disconnect()
      document.removeEventListener('focusin', remember)
      document.removeEventListener('pointerdown', forget, true)
    }
  }, [])
}
