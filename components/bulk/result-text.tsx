import type { ReactNode } from 'react'
import * as t from '#components/texts/bulk/en.ts'
import type { Result } from './result.ts'

/** What became of one of several acts. `recorded`: how a recorded one is shown. */
export function ResultText({ result, recorded }: { result: Result; recorded: ReactNode }) {
  switch (result.is) {
    case 'waiting':
      return null
    case 'sending':
      return <span className="text-dense text-ink-2">{t.recording}</span>
    case 'recorded':
      return recorded
    case 'refused':
      return <span className="text-dense text-danger">{t.refused({ why: result.why })}</span>
    case 'unknown':
      return <span className="text-dense text-warn">{t.unknown({ why: result.why })}</span>
  }
}
