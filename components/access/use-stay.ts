'use client'

import { useEffect, useEffectEvent } from 'react'

/**
 * Keeps the person on this page while `held`: links, the browser's back and forward buttons, and the tab's closing (there
 * the browser asks). `onLeave` is told of each attempt inside of the page. Whoever shows a value that can't be shown again
 * holds the page with it.
 */
export function useStay(held: boolean, onLeave: () => void): void {
  const left = useEffectEvent(onLeave)
  useEffect(() => {
    if (!held) return
    const here = window.location.href
    // An entry of its own, so that "back" has somewhere to go that is still this page.
    const entry = { ...window.history.state, staying: true }
    window.history.pushState(entry, '', here)

    function onPopState(event: PopStateEvent) {
      // Before the router hears of it, which would show the other page.
      event.stopImmediatePropagation()
      window.history.pushState(entry, '', here)
      left()
    }
    function onClick(event: MouseEvent) {
      const link = event.target instanceof Element ? event.target.closest('a[href]') : null
      if (link === null || link.getAttribute('target') === '_blank') return
      event.preventDefault()
      event.stopImmediatePropagation()
      left()
    }
    function onUnload(event: BeforeUnloadEvent) {
      event.preventDefault()
    }
    window.addEventListener('popstate', onPopState, { capture: true })
    document.addEventListener('click', onClick, { capture: true })
    window.addEventListener('beforeunload', onUnload)
    return () => {
      window.removeEventListener('popstate', onPopState, { capture: true })
      document.removeEventListener('click', onClick, { capture: true })
      window.removeEventListener('beforeunload', onUnload)
      if (window.location.href === here && window.history.state?.staying === true) window.history.back()
    }
  }, [held])
}
