'use client'

import { useSyncExternalStore } from 'react'
import { withStorage } from '#lib/browser-storage.ts'

/** A choice that is stored in this browser and synchronised across its tabs. */
export type Preference<Value extends string> = {
  use: () => [Value, (value: Value) => void]
  get: () => Value
}

type PreferenceOptions<Value extends string> = {
  /** Its key in localStorage; `fallback` applies if absent. */
  key: string
  fallback: Value
  isValue: (text: string) => text is Value
  /** Called after a change, in every tab. */
  onChange?: (value: Value) => void
}

export function createPreference<Value extends string>(options: PreferenceOptions<Value>): Preference<Value> {
  const { key, fallback, isValue, onChange } = options
  const listeners = new Set<() => void>()
  /** The value for this page if the browser forbids storage. */
  let unstored: Value | undefined

  function get(): Value {
    const text = unstored ?? withStorage(() => localStorage.getItem(key)) ?? ''
    return isValue(text) ? text : fallback
  }
  function changed(): void {
    onChange?.(get())
    for (const listener of listeners) listener()
  }
  function set(value: Value): void {
    unstored = writeStorage(key, value === fallback ? null : value) ? undefined : value
    changed()
  }
  function heardFromOtherTab(event: StorageEvent): void {
    if (event.key === key || event.key === null) changed()
  }
  function subscribe(listener: () => void): () => void {
    if (listeners.size === 0) window.addEventListener('storage', heardFromOtherTab)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) window.removeEventListener('storage', heardFromOtherTab)
    }
  }
  const getFallback = () => fallback
  return { get, use: () => [useSyncExternalStore(subscribe, get, getFallback), set] }
}

/** Returns false if the browser forbids storage. */
function writeStorage(key: string, value: string | null): boolean {
  const stored = withStorage(() => {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
    return true
  })
  return stored === true
}
