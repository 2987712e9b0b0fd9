'use client'

import { useEffect, useEffectEvent, useState } from 'react'
import { sessionVault } from './session.ts'

const quietMs = 200

/**
 * Keeps what a person typed across a reload and a new sign-in, encrypted in this browser. Undefined: there is nothing to keep, and what
 * was kept is removed. Nothing is written before `onRead` got what is stored. Signing out removes everything.
 */
export function useStoredText(
  name: string,
  text: string | undefined,
  onRead: (stored: string | undefined) => void,
): void {
  const [readName, setReadName] = useState<string>()
  const passOn = useEffectEvent(onRead)
  useEffect(() => {
    let gone = false
    void sessionVault
      .get(name)
      .catch(unlessForbidden)
      .then((stored) => {
        if (gone) return
        passOn(stored)
        setReadName(name)
      })
    return () => {
      gone = true
    }
  }, [name])
  useEffect(() => {
    if (readName !== name) return
    if (text === undefined) return void sessionVault.remove(name).catch(unlessForbidden)
    const timer = setTimeout(() => void sessionVault.set(name, text).catch(unlessForbidden), quietMs)
    return () => clearTimeout(timer)
  }, [readName, name, text])
}

/** If the browser fails to store or read a text, nothing is kept, but nothing else fails. */
function unlessForbidden(error: unknown): undefined {
  if (!(error instanceof DOMException)) throw error
}
