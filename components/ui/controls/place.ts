/** Regions that a screen reader announces by their name. */
const places = 'section[aria-labelledby], section[aria-label], main'

/** An element and all that contain it, from the inside out. */
export function pathOf(element: Element): Element[] {
  const path: Element[] = []
  for (let at: Element | null = element; at !== null; at = at.parentElement) path.push(at)
  return path
}

/** Focuses the innermost region of a path that is still on the page, for an element that is not. */
export function focusPlace(path: readonly Element[]): void {
  const place = path.find((one) => one.isConnected && one.matches(places) && one.getClientRects().length > 0)
  if (!(place instanceof HTMLElement)) return
  // A region can have the focus only as long as it has it: later, a press inside it must not move the focus there.
  if (!place.hasAttribute('tabindex')) {
    place.setAttribute('tabindex', '-1')
    place.addEventListener('blur', () => place.removeAttribute('tabindex'), { once: true })
  }
  place.focus({ preventScroll: true })
}
