'use client'

import { useRef } from 'react'
import { focusPlace, pathOf } from './place.ts'

/** What had the focus when a dialog opened, and what contains it; and the same of the dialog below. */
type Opener = { path: readonly Element[]; below: Opener | undefined }

/** Of the dialogs that are open or just closing; the last one is on top. Owned by this module. */
const shown: Opener[] = []

/**
 * Returns the focus to what had it when a dialog closes. Radix returns it only to its own trigger, but any button or key can open a dialog.
 * A dialog that follows another one returns it to what opened the first: the button that was pressed in between is gone.
 */
export function useReturnedFocus(returnTo?: () => HTMLElement | null | undefined) {
  const opener = useRef<Opener>(undefined)
  return {
    onOpenAutoFocus() {
      const { activeElement: focused, body } = document
      opener.current = { path: focused === null || focused === body ? [] : pathOf(focused), below: shown.at(-1) }
      shown.push(opener.current)
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault()
      const own = opener.current
      if (own === undefined) return
      if (shown.includes(own)) shown.splice(shown.indexOf(own), 1)
      const paths = [own.path]
      // Behind a dialog that stays open, nothing gets the focus.
      for (let at = own.below; at !== undefined && !shown.includes(at); at = at.below) paths.push(at.path)
      const next = [returnTo?.(), ...paths.map(([first]) => first)].find(
        (one) => one instanceof HTMLElement && one.isConnected,
      )
      if (next instanceof HTMLElement) next.focus()
      // What was done in the dialog may have removed the button that opened it.
      else if (document.activeElement === document.body) focusPlace(paths.flat())
    },
  }
}
