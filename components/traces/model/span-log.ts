import type { TraceSpan } from './trace-span.ts'

/** Longest time that a span waits before it is shown. */
const BATCH_MS = 250

/**
 * The spans of one trace as they arrive: those of the first read, then those of the stream. Readers are told at most four
 * times a second. A span keeps its index for ever. Outside of React, because 200 spans a second are not 200 renders.
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
      // A read that overtook the stream, or the other way round, must not open a span again.
      else if (span.endedAt !== null || next[index]?.endedAt === null) next[index] = span
    }
    waiting = []
    spans = next
    for (const listener of listeners) listener()
  }

  return {
    /** The same array until something was added. */
    snapshot: () => spans,
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    indexOf: (spanId: string): number | undefined => indexOf.get(spanId),
    /** Adds or replaces within 250 ms. */
    take(span: TraceSpan): void {
      waiting.push(span)
      timer ??= setTimeout(flush, BATCH_MS)
    },
    /** Adds or replaces at once. */
    takeAll(read: readonly TraceSpan[]): void {
      waiting = [...waiting, ...read]
      flush()
    },
  }
}

export type SpanLog = ReturnType<typeof createSpanLog>
