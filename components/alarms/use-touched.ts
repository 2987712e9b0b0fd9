'use client'

import { useEffect, useState } from 'react'

const signs = ['pointermove', 'pointerdown', 'keydown', 'wheel'] as const

/** Whether the person has done something on this page since the component appeared, and may be about to press what they see. */
export function useTouched(): boolean {
  const [touched, setTouched] = useState(false)
  useEffect(() => {
    if (touched) return
    const touch = () => setTouched(true)
    for (const sign of signs) window.addEventListener(sign, touch, { passive: true })
    return () => {
      for (const sign of signs) window.removeEventListener(sign, touch)
    }
  }, [touched])
  return touched
}
