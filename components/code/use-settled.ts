'use client'

import { useEffect, useState } from 'react'

/** Milliseconds without a keystroke after which a text is sent. */
const pauseMs = 500

/** The text as it was when typing last paused. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
