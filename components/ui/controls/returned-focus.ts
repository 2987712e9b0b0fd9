'use client'

import { useRef } from 'react'
import { focusPlace, pathOf } from './place.ts'

/** What had the focus and what contains it, the nearest dialog first. */
type Openers = readonly Element[][]

/** Of the dialogs that are open or just closing; the last one is on top. Owned by this module. */
const shown: Openers[] = []

/**
 * Returns the focus to what had it when a dialog closes. Radix returns it only to its own trigger, but any button or key can open a dialog.
 * A dialog that follows another one returns it to what opened the first: the button that was pressed in between is gone.
 */
export function useReturnedFocus(returnTo?: () => HTMLElement | null | undefined) {
  const openers = useRef<Openers>([])
  return {
    onOpenAutoFocus() {
      const { activeElement: focused, body } = document
      const below = shown.at(-1) ?? []
      openers.current = focused === null || focused === body ? below : [pathOf(focused), ...below]
      shown.push(openers.current)
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault()
      const at = shown.indexOf(openers.current)
      if (at >= 0) shown.splice(at, 1)
      const candidates = [returnTo?.(), ...openers.current.map(([opener]) => opener)]
      const next = candidates.find((one) => one instanceof HTMLElement && one.isConnected)
      if (next instanceof HTMLElement) next.focus()
      // What was done in the dialog may have removed the button that opened it.
      else if (document.activeElement === document.body) focusPlace(openers.current.at(-1) ?? [])
    },
  }
}
