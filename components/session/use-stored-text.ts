'use client'

import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { session, sessionVault } from './session.ts'
import { tabName } from './tab.ts'

const quietMs = 200

/**
 * Keeps what a person typed across a reload and a new sign-in, encrypted in this browser. Undefined: there is nothing to keep, and what
 * was kept is removed. Nothing is written before `onRead` got what is stored. Leaving the page keeps also the last keys that were
 * pressed. Signing out removes everything.
 *
 * Each tab has a text of its own, which another one does not overwrite. A new tab begins with the last one of any tab.
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
    void read(name)
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
  useEffect(() => {
    const flush = () => waiting.current?.()
    // Before what is pressed next can leave the page for another document, where nothing can be written any more.
    window.addEventListener('focusout', flush)
    return () => {
      window.removeEventListener('focusout', flush)
      flush()
    }
  }, [])
}

/** The names under which this tab keeps a text: its own, and what a new tab begins with. */
function namesOf(name: string): string[] {
  const tab = tabName()
  return tab === undefined ? [name] : [`${name}#${tab}`, name]
}

async function read(name: string): Promise<string | undefined> {
  for (const one of namesOf(name)) {
    const stored = await sessionVault.get(one)
    if (stored !== undefined) return stored
  }
  return undefined
}

async function store(name: string, text: string | undefined): Promise<void> {
  const { status } = session.state()
  // Everything was removed, or is about to be.
  if (status === 'leaving' || status === 'signed-out') return
  const { remove, set } = sessionVault
  await Promise.all(namesOf(name).map((one) => (text === undefined ? remove(one) : set(one, text)))).catch(
    unlessForbidden,
  )
}

/** If the browser fails to store or read a text, nothing is kept, but nothing else fails. */
function unlessForbidden(error: unknown): undefined {
  if (!(error instanceof DOMException)) throw error
}
