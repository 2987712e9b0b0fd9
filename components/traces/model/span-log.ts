import type { TraceSpan } from './trace-span.ts'

/** Longest delay before a span is shown, in milliseconds. */
const BATCH_MS = 250

/**
 * The spans of one trace as they arrive: first those of the initial load, then those of the stream. Listeners are notified at most four
 * times a second. The index of a span never changes. Kept outside React, so that 200 spans a second don't cause 200 renders.
 */
export function createSpanLog() {
  let spans: readonly TraceSpan[] = []
  const indexOf = new Map<string, number>()
  const listeners = new Set<() => void>()
  let waiting: TraceSpan[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0) return
    const next = [...spans]
    for (const span of waiting) {
      const index = indexOf.get(span.spanId)
      if (index === undefined) indexOf.set(span.spanId, next.push(span) - 1)
      // Load and stream can arrive in either order; neither may reopen a span that has ended.
      else if (span.endedAt !== null || next[index]?.endedAt === null) next[index] = span
    }
    waiting = []
    spans = next
    for (const listener of listeners) listener()
  }

  return {
    /** Returns the same array until a span is added. */
    snapshot: () => spans,
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    indexOf: (spanId: string): number | undefined => indexOf.get(spanId),
    /** Adds or replaces spans; they are shown within 250 ms. */
    take(span: TraceSpan): void {
      waiting.push(span)
      timer ??= setTimeout(flush, BATCH_MS)
    },
    /** Adds or replaces spans, shown immediately. */
    takeAll(read: readonly TraceSpan[]): void {
      waiting = [...waiting, ...read]
      flush()
    },
  }
}

export type SpanLog = ReturnType<typeof createSpanLog>
