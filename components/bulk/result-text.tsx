import type { ReactNode } from 'react'
import type { Result } from './result.ts'

/** What became of one of several acts. `recorded`: how a recorded one is shown. */
export function ResultText({ result, recorded }: { result: Result; recorded: ReactNode }) {
  switch (result.is) {
    case 'waiting':
      return null
    case 'sending':
      return <span className="text-dense text-ink-2">Recording…</span>
    case 'recorded':
      return recorded
    case 'refused':
      return <span className="text-dense text-danger">Refused: {result.why}</span>
    case 'unknown':
      return <span className="text-dense text-warn">Outcome unknown: {result.why}</span>
  }
}
