'use client'

import { useRef } from 'react'

type Attempt = {
  /** The Idempotency-Key for this content. */
  keyFor: (content: string) => string
  /** Makes the next call a new request, even with the same content. */
  forget: () => void
}

/**
 * The same content has the same Idempotency-Key, so that sending it again after a lost response is the same request, and
 * other content has another key.
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
