'use client'

import { useRef } from 'react'

type Attempt = {
  /** The Idempotency-Key under which this content goes out. */
  keyFor: (content: string) => string
  /** What is sent next is another request, even with the same content. */
  forget: () => void
}

/**
 * The same content has the same Idempotency-Key, so that sending it again after a lost answer is the same request, and
 * another content is never taken for it.
 */
export function useAttempt(): Attempt {
  const attempt = useRef<{ content: string; key: string }>(undefined)
  return {
    keyFor(content) {
      if (attempt.current?.content !== content) attempt.current = { content, key: crypto.randomUUID() }
      return attempt.current.key
    },
    forget() {
      attempt.current = undefined
    },
  }
}
