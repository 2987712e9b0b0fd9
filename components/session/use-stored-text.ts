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
  const [isRead, setIsRead] = useState(false)
  const passOn = useEffectEvent(onRead)
  useEffect(() => {
    let gone = false
    void sessionVault.get(name).then((stored) => {
      if (gone) return
      passOn(stored)
      setIsRead(true)
    })
    return () => {
      gone = true
    }
  }, [name])
  useEffect(() => {
    if (!isRead) return
    if (text === undefined) return void sessionVault.remove(name)
    const timer = setTimeout(() => void sessionVault.set(name, text), quietMs)
    return () => clearTimeout(timer)
  }, [isRead, name, text])
}
