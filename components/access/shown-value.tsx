'use client'

import { useState } from 'react'
import * as t from '#components/texts/access-keys/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'

type ShownValueProps = {
  /** Noun for use inside a sentence: "API key", "client secret". */
  noun: string
  value: string
}

/** A full unmasked value, to copy or select. */
export function ShownValue({ noun, value }: ShownValueProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>()
  function copy() {
    navigator.clipboard.writeText(value).then(
      () => setOutcome('copied'),
      () => setOutcome('refused'),
    )
  }
  return (
    <div className="flex flex-col gap-1.5">
      <span className="font-semibold text-dense">{noun.charAt(0).toUpperCase() + noun.slice(1)}</span>
      <code className="wrap-anywhere select-all border border-line-strong bg-sunken px-2 py-1.5 font-mono">
        <ShownText edges>{value}</ShownText>
      </code>
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={copy}>{t.copyThe({ noun })}</Button>
        <span role="status" className={outcome === 'refused' ? 'text-danger' : 'text-ink-2'}>
          {outcome === 'copied' && t.copied}
          {outcome === 'refused' && t.browserRefusedToCopy}
        </span>
      </div>
    </div>
  )
}
