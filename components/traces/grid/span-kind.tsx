import type { ReactNode } from 'react'
import * as t from '#components/texts/traces/en.ts'
import { Glyph } from '#components/ui/status/glyph.tsx'
import type { SpanKind } from '#lib/schemas/traces.ts'

const KINDS: Record<SpanKind, { word: string; shape: ReactNode }> = {
  workflow: { word: t.workflow, shape: <path d="M2.5 4h5v8h-5zM8 8h5.5m-2-2 2 2-2 2" /> },
  agent: { word: t.agent, shape: <path d="M2.75 2.75h10.5v10.5H2.75z" /> },
  model: { word: t.model, shape: <circle cx="8" cy="8" r="5.25" fill="currentColor" stroke="none" /> },
  tool: { word: t.toolCall, shape: <path d="M3 3h10v10H3z" fill="currentColor" stroke="none" /> },
  policy: { word: t.policyDecision, shape: <path d="M8 2 14 8l-6 6-6-6z" /> },
  approval: { word: t.approval, shape: <path d="M8 1.75 13.4 4.9v6.2L8 14.25 2.6 11.1V4.9z" /> },
  wait: { word: t.wait, shape: <path d="M3.5 2.5h9M3.5 13.5h9M4.5 2.5c0 5.5 7 5.5 7 11m0-11c0 5.5-7 5.5-7 11" /> },
  other: { word: t.other, shape: <path d="M3 8h10" /> },
}

export const spanKinds = Object.keys(KINDS) as SpanKind[]
export const kindWord = (kind: SpanKind): string => KINDS[kind].word

/** The shape of a span's kind. Its word is shown next to it or read out. */
export function KindGlyph({ kind }: { kind: SpanKind }) {
  return <Glyph className="text-ink-2">{KINDS[kind].shape}</Glyph>
}
