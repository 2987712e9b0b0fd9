import { createHash } from 'node:crypto'

// Span ids are derived from their subject, so that work repeated after a crash writes the same span again.

export const rootSpanId = (traceId: string): string => traceId.slice(0, 16)

/** The span id of a recorded decision or approval. */
export const spanIdOf = (traceId: string, id: string): string =>
  createHash('sha256').update(`${traceId} ${id}`).digest('hex').slice(0, 16)

export const toolSpanId = (traceId: string, stepId: string, attempt: number): string =>
  spanIdOf(traceId, `${stepId} ${attempt}`)

/** The span id of a step's wait for input. */
export const waitSpanId = (traceId: string, stepId: string): string => spanIdOf(traceId, `wait ${stepId}`)
