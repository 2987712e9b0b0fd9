'use client'

import { type PointerEvent, useEffect, useState } from 'react'
import { onPressEnd } from './press.ts'

/**
 * What to draw of `value`: while a pointer is pressed, and until its click, what was there when it went down. Otherwise what has
 * arrived since would move under the pointer, and the click would be lost, or count for another place.
 */
export function useWhilePressed<T>(value: T): [T, { onPointerDown(event: PointerEvent): void }] {
  const [held, setHeld] = useState<{ value: T }>()
  useEffect(() => (held === undefined ? undefined : onPressEnd(() => setHeld(undefined))), [held])
  return [
    held === undefined ? value : held.value,
    {
      onPointerDown: ({ isPrimary, button }) => {
        if (isPrimary && button === 0) setHeld((now) => now ?? { value })
      },
    },
  ]
}
