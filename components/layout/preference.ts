'use client'

import { useSyncExternalStore } from 'react'

/** A choice kept in this browser and in step over its tabs. */
export type Preference<Value extends string> = {
  use: () => [Value, (value: Value) => void]
  get: () => Value
}

type PreferenceOptions<Value extends string> = {
  /** Its name in localStorage; absent there means `fallback`. */
  key: string
  fallback: Value
  isValue: (text: string) => text is Value
  /** Called after a change, in every tab. */
  onChange?: (value: Value) => void
}

export function createPreference<Value extends string>(options: PreferenceOptions<Value>): Preference<Value> {
  const { key, fallback, isValue, onChange } = options
  const listeners = new Set<() => void>()
  /** Holds the value for this page where the browser forbids storage. */
  let unstored: Value | undefined

  function get(): Value {
    const text = unstored ?? readStorage(key)
    return text !== null && isValue(text) ? text : fallback
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

function readStorage(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch (error) {
    if (isForbidden(error)) return null
    throw error
  }
}

/** False when the browser keeps nothing. */
function writeStorage(key: string, value: string | null): boolean {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
    return true
  } catch (error) {
    if (isForbidden(error)) return false
    throw error
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof DOMException && (error.name === 'SecurityError' || error.name === 'QuotaExceededError')
}
