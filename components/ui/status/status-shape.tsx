import type { ReactNode } from 'react'
import * as t from '#components/texts/ui/en.ts'
import { classNames } from '#components/ui/text/class-names.ts'
import { Glyph } from './glyph.tsx'
import { Tag } from './tag.tsx'
import { TONE_TEXT, type Tone } from './tone.ts'

export type Status =
  | 'pending'
  | 'running'
  | 'waiting'
  | 'approved'
  | 'rejected'
  | 'escalated'
  | 'expired'
  | 'failed'
  | 'omissions'
  | 'revoked'

type Shape = { word: string; tone: Tone; shape: ReactNode }

const CIRCLE = <circle cx="8" cy="8" r="5.75" />

const SHAPES: Record<Status, Shape> = {
  pending: { word: t.pending, tone: 'neutral', shape: CIRCLE },
  running: {
    word: t.running,
    tone: 'info',
    shape: (
      <>
        {CIRCLE}
        <path d="M8 2.25a5.75 5.75 0 0 1 0 11.5z" fill="currentColor" stroke="none" />
      </>
    ),
  },
  waiting: {
    word: t.waiting,
    tone: 'hold',
    shape: <path d="M8 1.75 13.4 4.9v6.2L8 14.25 2.6 11.1V4.9z" strokeDasharray="2.2 1.9" strokeLinecap="butt" />,
  },
  approved: {
    word: t.approved,
    tone: 'ok',
    shape: (
      <>
        {CIRCLE}
        <path d="m5.4 8.2 1.9 1.9 3.4-3.9" />
      </>
    ),
  },
  rejected: {
    word: t.rejected,
    tone: 'danger',
    shape: (
      <>
        <path d="M2.5 2.5h11v11h-11z" />
        <path d="m5.75 5.75 4.5 4.5m0-4.5-4.5 4.5" />
      </>
    ),
  },
  escalated: { word: t.escalated, tone: 'hold', shape: <path d="M8 13.5V3m-4.25 4.25L8 3l4.25 4.25" /> },
  expired: {
    word: t.expired,
    tone: 'neutral',
    shape: (
      <>
        {CIRCLE}
        <path d="M8 5v3l2 1.25M2.25 13.75l11.5-11.5" />
      </>
    ),
  },
  failed: {
    word: t.failed,
    tone: 'danger',
    shape: (
      <>
        <path d="M8 2.25 14.25 13.5H1.75z" strokeLinejoin="miter" />
        <path d="M8 6.5v3m0 1.9v.1" />
      </>
    ),
  },
  omissions: {
    word: t.omissions,
    tone: 'warn',
    shape: (
      <>
        <path d="M2.5 2.5h11v11h-11z" />
        <path d="M2.5 8h11v5.5h-11z" fill="currentColor" stroke="none" />
      </>
    ),
  },
  revoked: {
    word: t.revoked,
    tone: 'neutral',
    shape: (
      <>
        {CIRCLE}
        <path d="m4 4 8 8" strokeLinecap="butt" />
      </>
    ),
  },
}

type StatusShapeProps = {
  status: Status
  /** Replaces the word with the domain's own ("Completed"). */
  label?: string
  boxed?: boolean
  /** The word is for screen readers only, where many shapes stand side by side. */
  wordless?: boolean
}

/** A state as shape and word. */
export function StatusShape({ status, label, boxed = false, wordless = false }: StatusShapeProps) {
  const { word, tone, shape } = SHAPES[status]
  if (boxed) {
    return (
      <Tag tone={tone} icon={<Glyph>{shape}</Glyph>}>
        {label ?? word}
      </Tag>
    )
  }
  return (
    <span className={classNames('inline-flex items-center gap-1.5', TONE_TEXT[tone])}>
      <Glyph>{shape}</Glyph>
      {/* The text, not the shape, aligns with the baseline. */}
      <span className={wordless ? 'sr-only' : 'self-baseline'}>{label ?? word}</span>
    </span>
  )
}
