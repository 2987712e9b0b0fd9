import { createHash } from 'node:crypto'

/** Span ids that follow from the execution, so that work repeated after a crash writes the same span again. */
export const rootSpanId = (traceId: string): string => traceId.slice(0, 16)

export const stepSpanId = (
  traceId: string,
  stepId: string,
  part: 'policy' | 'approval' | 'tool',
  attempt = 1,
): string => createHash('sha256').update(`${traceId} ${stepId} ${part} ${attempt}`).digest('hex').slice(0, 16)
