'use client'

import { type RefObject, useEffect, useRef, useState } from 'react'

export type Refusals = {
  form: RefObject<HTMLFormElement | null>
  /** The person tried to send the form, so that its problems are shown. */
  tried: boolean
  /** Shows the problems, and moves the focus to the first field that has one. */
  refuse: () => void
}

/** A form that can always be sent, and says what is missing only then. A group of checkboxes with a problem has `data-refused`. */
export function useRefusals(): Refusals {
  const form = useRef<HTMLFormElement>(null)
  const [refusals, setRefusals] = useState(0)
  useEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-refused] input')?.focus()
  }, [refusals])
  return { form, tried: refusals > 0, refuse: () => setRefusals((count) => count + 1) }
}
