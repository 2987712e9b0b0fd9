'use client'

import { useState } from 'react'
import { isUnknown } from '#components/api/use-act.ts'
import type { Failure } from '#lib/failure.ts'

/**
 * The failure that still applies to what the fields contain, and what to call when one of them is changed: the server has refused
 * another input. That an outcome is unknown stays true whatever is typed.
 */
export function useStanding(failure: Failure | undefined): [Failure | undefined, () => void] {
  const [withdrawn, setWithdrawn] = useState<Failure>()
  return [standing(failure, withdrawn), () => setWithdrawn(failure)]
}

export const standing = (failure: Failure | undefined, withdrawn: Failure | undefined): Failure | undefined =>
  failure !== undefined && failure === withdrawn && !isUnknown(failure) ? undefined : failure
