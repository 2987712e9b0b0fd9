'use client'

import { useMemo } from 'react'
import { useAddressValue } from '#components/traces/use-address-value.ts'
import type { SpanKind } from '#lib/schemas/traces.ts'
import { spanKinds } from './span-kind.tsx'

/** A restriction to spans with errors or on the critical path. */
export type Only = 'errors' | 'critical'

/** Milliseconds after the start of the trace. */
export type TimeWindow = { from: number; to: number }

/** The filters of a trace, all stored in the address: `q`, `kind`, `only`, `level`, `window`. */
export function useTraceFilter() {
  const [text = '', setText] = useAddressValue('q')
  const [kindList = '', setKindList] = useAddressValue('kind')
  const [onlyWord, setOnly] = useAddressValue('only')
  const [levelText, setLevel] = useAddressValue('level')
  const [windowText, setWindowText] = useAddressValue('window')
  const kinds = useMemo(() => new Set(spanKinds.filter((kind) => kindList.split(',').includes(kind))), [kindList])
  const only: Only | undefined = onlyWord === 'errors' || onlyWord === 'critical' ? onlyWord : undefined
  const level = levelText !== undefined && /^[1-9]$/.test(levelText) ? Number(levelText) : undefined
  const window = useMemo(() => windowOf(windowText), [windowText])
  return {
    text,
    setText: (value: string) => setText(value === '' ? undefined : value),
    kinds,
    toggleKind(kind: SpanKind) {
      const next = spanKinds.filter((one) => kinds.has(one) !== (one === kind))
      setKindList(next.length === 0 ? undefined : next.join(','))
    },
    only,
    toggleOnly: (value: Only) => setOnly(only === value ? undefined : value),
    /** Number of levels shown, from 1; undefined for all. */
    level,
    setLevel: (value: number | undefined) => setLevel(value === undefined ? undefined : String(value)),
    window,
    setWindow: (value: TimeWindow | undefined) =>
      setWindowText(value === undefined ? undefined : `${Math.floor(value.from)}-${Math.ceil(value.to)}`),
    clear() {
      setText(undefined)
      setKindList(undefined)
      setOnly(undefined)
    },
  }
}

export type TraceFilter = ReturnType<typeof useTraceFilter>

function windowOf(text: string | undefined): TimeWindow | undefined {
  const [, from, to] = /^(\d{1,12})-(\d{1,12})$/.exec(text ?? '') ?? []
  return from === undefined || Number(from) >= Number(to) ? undefined : { from: Number(from), to: Number(to) }
}
