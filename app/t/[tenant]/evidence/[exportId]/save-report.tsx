'use client'

import { useState } from 'react'
import { formatBytes } from '#components/language/formats.ts'
import { offerFile } from '#components/page/offer-file.ts'
import * as t from '#components/texts/evidence-export/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import type { LoadedArchive } from './use-loaded-archive.ts'

type Saving = 'idle' | 'reading' | 'saved' | 'missing' | 'unreadable' | 'not-loaded'

const WORDS: Record<Exclude<Saving, 'idle' | 'reading'>, string> = {
  saved: t.reportIsInYour,
  missing: t.thisArchiveWasMade,
  unreadable: t.reportCouldNotBe,
  'not-loaded': t.readerNotLoaded,
}

/** Saves the report for people, a page without scripts that the archive contains. */
export function SaveReport({ loaded: { state, name, blocked, load } }: { loaded: LoadedArchive }) {
  const [saving, setSaving] = useState<Saving>('idle')

  async function save() {
    setSaving('reading')
    const archive = await load()
    if (archive === undefined) return setSaving('idle')
    const reader = await import('#lib/evidence/report-in.ts').catch(() => undefined)
    if (reader === undefined) return setSaving('not-loaded')
    const report = await reader.reportIn(archive).catch(() => null)
    if (report === null) return setSaving('unreadable')
    if (report === undefined) return setSaving('missing')
    offerFile(new Blob([report], { type: 'text/html' }), name.replace(/(?:\.zip)?$/, '-report.html'))
    setSaving('saved')
  }

  return (
    <div className="flex max-w-[22rem] flex-col items-start gap-1">
      <Button
        onClick={() => void save()}
        disabledReason={blocked}
        busyLabel={
          saving === 'reading'
            ? state.is === 'loading'
              ? t.downloadingSoFar({ received: formatBytes(state.received) })
              : t.readingReport
            : undefined
        }
      >
        {t.reportForPeople}
      </Button>
      <p role="status" className="text-dense text-ink-2">
        {saving !== 'idle' && saving !== 'reading' && WORDS[saving]}
      </p>
    </div>
  )
}
