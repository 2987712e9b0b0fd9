/** Who holds the page now, and is told of each attempt to leave it. Owned by this module; one page, one holder. */
let holder: Holder | undefined

type Holder = {
  entry: unknown
  here: string
  /** Whether the entry below is this page, too, so that letting go can return to it. */
  hasOwnEntry: boolean
  onLeave: () => void
}

/**
 * Must run before the router starts: listeners of the window's own events run in the order in which they came, capture or
 * not, and the router would show the other page before anybody could object.
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
 * Keeps the person on this page: links, the browser's back and forward buttons, and the tab's closing (there the browser
 * asks). Gives the way to let go again.
 */
export function holdPage(onLeave: () => void): () => void {
  const here = window.location.href
  // An entry of its own, so that "back" has somewhere to go that is still this page.
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
