import type { PartialOutput, TraceEvent } from '#lib/schemas/traces.ts'

/** The partial answer of a model. `start` is the length of the omitted beginning. */
export type PartialAnswer = {
  spanId: string
  start: number
  text: string
  masked: { class: string; length: number } | undefined
}

/** Longest kept end of an answer, in UTF-16 code units. */
const KEPT = 16 * 1024

/** The partial answers of one trace. Each is removed when its span ends, because the span then contains it. */
export function createAnswerLog() {
  let answers: readonly PartialAnswer[] = []
  const listeners = new Set<() => void>()
  const set = (next: readonly PartialAnswer[]) => {
    answers = next
    for (const listener of listeners) listener()
  }
  const without = (spanId: string) => answers.filter((one) => one.spanId !== spanId)

  return {
    /** Returns the same array until an answer is added or removed. */
    snapshot: () => answers,
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    take(event: Exclude<TraceEvent, { type: 'gap' | 'heartbeat' }>): void {
      if (event.type === 'event') {
        const before = answers.find((one) => one.spanId === event.spanId)
        const next = withPartial(before, event)
        set(before === undefined ? [...answers, next] : answers.map((one) => (one === before ? next : one)))
      } else if (event.span.endedAt !== null && answers.some(({ spanId }) => spanId === event.span.spanId))
        set(without(event.span.spanId))
    },
    /** Removes all answers, for when the stream has ended. */
    clear(): void {
      if (answers.length > 0) set([])
    },
  }
}

/** The event's text replaces everything from its start on. A text that starts after the known end replaces everything. */
function withPartial(
  before: PartialAnswer | undefined,
  { spanId, from, text = '', masked }: PartialOutput,
): PartialAnswer {
  if (masked !== undefined) return { spanId, start: 0, text: '', masked }
  const goesOn = before !== undefined && from >= before.start && from <= before.start + before.text.length
  const start = goesOn ? before.start : from
  const whole = goesOn ? before.text.slice(0, from - before.start) + text : text
  const dropped = Math.max(0, whole.length - KEPT)
  return { spanId, start: start + dropped, text: whole.slice(dropped), masked: undefined }
}

export type AnswerLog = ReturnType<typeof createAnswerLog>
