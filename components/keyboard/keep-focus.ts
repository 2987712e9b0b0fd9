'use client'

import { useEffect } from 'react'

/** Regions that a screen reader announces by their name. */
const places = 'section[aria-labelledby], section[aria-label], main'

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
      path = []
      for (let at = target instanceof Element ? target : null; at !== null; at = at.parentElement) path.push(at)
    }
    // A press elsewhere leaves the element on purpose.
    const forget = ({ target }: Event) => {
      if (!(target instanceof Node && document.activeElement?.contains(target) === true)) path = []
    }
    const restore = () => {
      const [focused] = path
      if (focused === undefined || focused.isConnected || document.activeElement !== document.body) return
      const place = path.find((one) => one.isConnected && one.matches(places))
      if (place instanceof HTMLElement) focusRegion(place)
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

/** A region can have the focus only as long as it has it: later, a press inside it must not move the focus there. */
function focusRegion(place: HTMLElement): void {
  if (!place.hasAttribute('tabindex')) {
    place.setAttribute('tabindex', '-1')
    place.addEventListener('blur', () => place.removeAttribute('tabindex'), { once: true })
  }
  place.focus({ preventScroll: true })
}
