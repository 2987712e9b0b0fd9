'use client'

import { useEffect, useState } from 'react'
import * as t from '#components/texts/ui/en.ts'
import { CheckIcon, CopyIcon } from '#components/ui/status/icons.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'

type CopyableProps = {
  /** The full value to copy. */
  value: string
  /** Noun for the button's name: "approval id". */
  label: string
  /** `middle` shows the first eight and last four characters of a long value. */
  shorten?: 'middle'
}

/** An id or a hash in the mono face, with a button that copies the full value. */
export function Copyable({ value, label, shorten }: CopyableProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>()
  useEffect(() => {
    if (outcome === undefined) return
    const timer = setTimeout(() => setOutcome(undefined), 3000)
    return () => clearTimeout(timer)
  }, [outcome])
  function copy() {
    navigator.clipboard.writeText(value).then(
      () => setOutcome('copied'),
      () => setOutcome('refused'),
    )
  }
  const shown = shorten === 'middle' && value.length > 14 ? `${value.slice(0, 8)}…${value.slice(-4)}` : value
  return (
    <span className="inline-flex min-w-0 items-center gap-0.5">
      <code className="wrap-anywhere font-mono text-dense" title={shown === value ? undefined : value}>
        {shown}
      </code>
      <button
        type="button"
        onClick={copy}
        aria-label={t.copy({ label })}
        className="inline-grid size-6 shrink-0 place-items-center text-ink-2 hover:bg-selected hover:text-ink"
      >
        {outcome === 'copied' ? <CheckIcon size="size-3.5" className="text-ok" /> : <CopyIcon size="size-3.5" />}
      </button>
      <span role="status" className={outcome === 'refused' ? 'text-dense text-danger' : 'sr-only'}>
        {outcome === 'copied' && <VisuallyHidden>{t.copied}</VisuallyHidden>}
        {outcome === 'refused' && t.copyRefused}
      </span>
    </span>
  )
}
