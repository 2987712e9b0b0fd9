'use client'

import { useEffect } from 'react'

const prefix = /^\(\d+\+?\) /

/** Puts a count in front of the page's title, so that a tab in the background shows it. The framework writes titles, too. */
export function useTitleCount(count: number): void {
  useEffect(() => {
    const write = () => {
      const title = document.title.replace(prefix, '')
      const wanted = count === 0 ? title : `(${count > 99 ? '99+' : count}) ${title}`
      // Otherwise the observer would never rest.
      if (document.title !== wanted) document.title = wanted
    }
    write()
    const observer = new MutationObserver(write)
    observer.observe(document.head, { subtree: true, childList: true, characterData: true })
    return () => {
      observer.disconnect()
      document.title = document.title.replace(prefix, '')
    }
  }, [count])
}
