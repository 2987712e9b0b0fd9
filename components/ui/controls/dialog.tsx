'use client'

import { type ComponentType, useEffect, useSyncExternalStore } from 'react'
import type { DialogProps } from './dialog-frame.tsx'

// Owned by this module: the frame, which all dialogs of a page share.
let frame: ComponentType<DialogProps> | undefined
let loading: Promise<boolean> | undefined
const listeners = new Set<() => void>()

/** Loads the frame. Resolves to false without a connection; the next call tries again. */
function load(): Promise<boolean> {
  loading ??= import('./dialog-frame.tsx').then(
    ({ DialogFrame }) => {
      frame = DialogFrame
      for (const listener of listeners) listener()
      return true
    },
    () => {
      loading = undefined
      return false
    },
  )
  return loading
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * A modal dialog (dialog-frame.tsx). Its code and its library, 14 KB, are not part of a page: they are loaded once the browser has
 * nothing else to do, or when a dialog is opened before that.
 */
export function Dialog(props: DialogProps) {
  const { open, onOpenChange } = props
  const Frame = useSyncExternalStore(
    subscribe,
    () => frame,
    () => undefined,
  )
  useEffect(() => whenIdle(() => void load()), [])
  useEffect(() => {
    if (!open || frame !== undefined) return
    void load().then((loaded) => {
      // The button works again, instead of seeming to do nothing.
      if (!loaded) onOpenChange(false)
    })
  }, [open, onOpenChange])
  return Frame && <Frame {...props} />
}

/** Safari does not have requestIdleCallback. Returns what cancels the call. */
function whenIdle(run: () => void): () => void {
  if ('requestIdleCallback' in window) {
    const id = requestIdleCallback(run, { timeout: 2000 })
    return () => cancelIdleCallback(id)
  }
  const id = setTimeout(run, 500)
  return () => clearTimeout(id)
}
