'use client'

import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { session, sessionVault } from './session.ts'

const quietMs = 200

/**
 * Keeps what a person typed across a reload and a new sign-in, encrypted in this browser. Undefined: there is nothing to keep, and what
 * was kept is removed. Nothing is written before `onRead` got what is stored. Leaving the page keeps also the last keys that were
 * pressed. Signing out removes everything.
 */
export function useStoredText(
  name: string,
  text: string | undefined,
  onRead: (stored: string | undefined) => void,
): void {
  const [readName, setReadName] = useState<string>()
  const waiting = useRef<() => void>(undefined)
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
    const write = () => {
      waiting.current = undefined
      void store(name, text)
    }
    if (text === undefined) return write()
    waiting.current = write
    const timer = setTimeout(write, quietMs)
    return () => clearTimeout(timer)
  }, [readName, name, text])
  useEffect(() => () => waiting.current?.(), [])
}

async function store(name: string, text: string | undefined): Promise<void> {
  const { status } = session.state()
  // Everything was removed, or is about to be.
  if (status === 'leaving' || status === 'signed-out') return
  await (text === undefined ? sessionVault.remove(name) : sessionVault.set(name, text)).catch(unlessForbidden)
}

/** If the browser fails to store or read a text, nothing is kept, but nothing else fails. */
function unlessForbidden(error: unknown): undefined {
  if (!(error instanceof DOMException)) throw error
}
