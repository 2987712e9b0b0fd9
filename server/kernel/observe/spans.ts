import type { JsonValue } from '#lib/json.ts'

// Spans of this process for its operator. Names and attributes are those of operations, queues and states: never a tenant, a person, an
// address or anything that a caller sent.

export type SpanKind = 'server' | 'consumer' | 'client'

/** A span that has begun. Call `end` once. */
export type OpenSpan = {
  /** Runs `work` so that spans that begin in it are below this one. */
  within<T>(work: () => T): T
  end(name: string, attributes: Readonly<Record<string, JsonValue>>, result: 'ok' | 'failed'): void
}

export type Recorder = {
  /** The first span of a trace; undefined if the trace is not sampled. */
  root(kind: SpanKind): OpenSpan | undefined
  /** A span below the current one; undefined without one. */
  child(kind: SpanKind): OpenSpan | undefined
}

/** The user agent of requests that bring spans to a collector. A server that is its own collector records no span of them. */
export const spansAgent = 'Countersign-Spans'

// Owned by this module: set once when the process starts, if its operator configured a collector.
let recorder: Recorder | undefined

export function recordSpansWith(next: Recorder | undefined): void {
  recorder = next
}

export const beginRoot = (kind: SpanKind): OpenSpan | undefined => recorder?.root(kind)
export const beginChild = (kind: SpanKind): OpenSpan | undefined => recorder?.child(kind)
