'use client'

import { useEffect, useRef, useState } from 'react'
import { TextField } from '#components/ui/controls/text-field.tsx'

type TypedFieldProps = {
  label: string
  value: string
  onChange: (value: string) => void
  type?: 'search'
  placeholder?: string
  inputMode?: 'decimal'
  hint?: string
  /** Why a text is not applied; undefined if it is. */
  whyNot?: (text: string) => string | undefined
  /** The text is applied when typing pauses for this long, in milliseconds, so that the server is not asked for each letter. */
  pause?: number
}

/** A filter that is typed. The field keeps text that is not applied, and its own text while it has the focus. */
export function TypedField({ value, onChange, whyNot = () => undefined, pause = 0, ...field }: TypedFieldProps) {
  const [draft, setDraft] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (document.activeElement !== input.current) setDraft(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const apply = (text: string) => {
    clearTimeout(timer.current)
    if (whyNot(text) !== undefined) return
    if (pause === 0) onChange(text)
    else timer.current = setTimeout(() => onChange(text), pause)
  }
  return (
    <TextField
      {...field}
      ref={input}
      value={draft}
      error={whyNot(draft)}
      onChange={({ target }) => {
        setDraft(target.value)
        apply(target.value)
      }}
    />
  )
}
