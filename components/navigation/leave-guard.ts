/** The current holder of the page, which is notified of each attempt to leave. Owned by this module; a page has at most one holder. */
let holder: Holder | undefined

type Holder = {
  entry: unknown
  here: string
  /** Whether the previous history entry is also this page, so that releasing can return to it. */
  hasOwnEntry: boolean
  onLeave: () => void
}

/**
 * Must run before the router starts: listeners of window events run in the order of registration, capture or
 * not, and the router would otherwise show the other page before the guard runs.
 */
export function installLeaveGuard(): void {
  window.addEventListener('popstate', (event) => {
    if (holder === undefined) return
    event.stopImmediatePropagation()
    if (window.location.href !== holder.here) holder.hasOwnEntry = false
    window.history.pushState(holder.entry, '', holder.here)
    holder.onLeave()
  })
}

/**
 * Keeps the person on this page: intercepts links, the back and forward buttons, and closing the tab (for which the browser
 * asks). Returns the function that releases the page.
 */
export function holdPage(onLeave: () => void): () => void {
  const here = window.location.href
  // An additional history entry, so that "back" stays on this page.
  const entry = { ...window.history.state, held: true }
  window.history.pushState(entry, '', here)
  const held: Holder = { entry, here, hasOwnEntry: true, onLeave }
  holder = held

  function onClick(event: MouseEvent) {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null
    if (link === null || link.getAttribute('target') === '_blank') return
    event.preventDefault()
    event.stopImmediatePropagation()
    onLeave()
  }
  function onUnload(event: BeforeUnloadEvent) {
    event.preventDefault()
  }
  document.addEventListener('click', onClick, { capture: true })
  window.addEventListener('beforeunload', onUnload)
  return () => {
    if (holder === held) holder = undefined
    document.removeEventListener('click', onClick, { capture: true })
    window.removeEventListener('beforeunload', onUnload)
    const isOnTop = window.location.href === here && window.history.state?.held === true
    if (held.hasOwnEntry && isOnTop) window.history.back()
  }
}
