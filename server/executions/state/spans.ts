import { createHash } from 'node:crypto'

// Span ids follow from what they tell of, so that work repeated after a crash writes the same span again.

export const rootSpanId = (traceId: string): string => traceId.slice(0, 16)

/** The span of one recorded thing: a decision, an approval. */
export const spanIdOf = (traceId: string, id: string): string =>
  createHash('sha256').update(`${traceId} ${id}`).digest('hex').slice(0, 16)

export const toolSpanId = (traceId: string, stepId: string, attempt: number): string =>
  spanIdOf(traceId, `${stepId} ${attempt}`)
