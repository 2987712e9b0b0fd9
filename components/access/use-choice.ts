'use client'

import { useState } from 'react'

/** The set of ticked options. */
export function useChoice<Value extends string>(initial: readonly Value[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(initial))
  const choose = (value: Value, on: boolean) => {
    const next = new Set(chosen)
    if (on) next.add(value)
    else next.delete(value)
    setChosen(next)
  }
  return { chosen, choose }
}
