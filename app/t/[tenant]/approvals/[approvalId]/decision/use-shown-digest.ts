'use client'

import { useEffect, useState } from 'react'
import { boundText } from '#lib/bound-digest.ts'
import type { Approval } from '#lib/schemas/approvals.ts'

/**
 * Whether the digest of what this page shows is the one that a decision binds. `unknown`: the request was made by an earlier
 * version, or its content was erased.
 */
export type ShownDigest = 'checking' | 'same' | 'different' | 'unknown'

type Shown = Pick<Approval, 'presentation' | 'contentDigest' | 'payloadDigest'>

/** Recomputes the digest in this browser. */
export async function checkShown({ presentation, contentDigest, payloadDigest }: Shown): Promise<ShownDigest> {
  if (contentDigest === null) return 'unknown'
  const bytes = new TextEncoder().encode(boundText(contentDigest, presentation))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `sha256:${hex}` === payloadDigest ? 'same' : 'different'
}

/** For the request as it is rendered: a changed one is checked again. */
export function useShownDigest(shown: Shown | undefined): ShownDigest {
  const [checked, setChecked] = useState<{ of: Shown; digest: ShownDigest }>()
  useEffect(() => {
    if (shown === undefined) return
    let left = false
    checkShown(shown).then(
      (digest) => left || setChecked({ of: shown, digest }),
      // What can't be written as canonical JSON is not what the digest was made from.
      () => left || setChecked({ of: shown, digest: 'different' }),
    )
    return () => {
      left = true
    }
  }, [shown])
  return checked === undefined || checked.of !== shown ? 'checking' : checked.digest
}
