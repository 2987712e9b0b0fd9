import type { ReactNode } from 'react'
import * as t from '#components/texts/ui/en.ts'
import { classNames } from '#components/ui/text/class-names.ts'
import { Glyph } from './glyph.tsx'

export type SealState = 'unsealed' | 'sealed' | 'verified' | 'mismatch'

const HEXAGON = 'M8 1.5 13.6 4.75v6.5L8 14.5 2.4 11.25v-6.5z'

const SEALS: Record<SealState, { word: string; color: string; shape: ReactNode }> = {
  unsealed: {
    word: t.unsealed,
    color: 'text-ink-3',
    shape: <path d={HEXAGON} strokeDasharray="2.2 1.9" strokeLinecap="butt" />,
  },
  sealed: { word: t.sealed, color: 'text-ink-2', shape: <path d={HEXAGON} /> },
  verified: {
    word: t.verified,
    color: 'text-ok',
    shape: (
      <>
        <path d={HEXAGON} fill="currentColor" />
        <path d="m5.2 8.1 2 2 3.6-4.1" className="stroke-surface" />
      </>
    ),
  },
  mismatch: {
    word: t.mismatch,
    color: 'text-danger',
    shape: (
      <>
        <path d="M8.6 1.5 2.4 4.75v6.5L6.6 13.7 8 9.6 6 7.6z" fill="currentColor" strokeWidth="0.5" />
        <path d="M10.6 2.6 13.6 4.75v6.5L8.8 14.4 10.2 9.4 8.2 7.4z" fill="currentColor" strokeWidth="0.5" />
      </>
    ),
  },
}

/** The hexagon and its word. Use `verified` and `mismatch` only after a check that really ran in this session. */
export function Seal({ state, label }: { state: SealState; label?: ReactNode }) {
  const { word, color } = SEALS[state]
  return (
    <span className={classNames('inline-flex items-center gap-1.5', color)}>
      <SealShape state={state} />
      {/* The text, not the shape, aligns with the baseline. */}
      <span className="self-baseline">{label ?? word}</span>
    </span>
  )
}

/** The hexagon alone, for places that show the word elsewhere. */
export function SealShape({ state, className }: { state: SealState; className?: string }) {
  const { color, shape } = SEALS[state]
  return <Glyph className={classNames(color, className)}>{shape}</Glyph>
}

export function sealWord(state: SealState): string {
  return SEALS[state].word
}
