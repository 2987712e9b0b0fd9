import type { JsonValue } from '#lib/json.ts'
import { isMasked } from '#lib/rules/masked.ts'
import type { Span } from '#lib/schemas/traces.ts'
import type { TraceSpan } from './trace-span.ts'

/** The figures in the header of a trace. Times are epoch milliseconds. */
export type TraceFigures = {
  spans: number
  errors: number
  policyChecks: number
  approvals: number
  startedAt: number
  /** The latest end, or undefined while a span is open. */
  endedAt: number | undefined
}

export function traceFigures(spans: readonly TraceSpan[]): TraceFigures {
  const figures: TraceFigures = {
    spans: spans.length,
    errors: 0,
    policyChecks: 0,
    approvals: 0,
    startedAt: Number.POSITIVE_INFINITY,
    endedAt: Number.NEGATIVE_INFINITY,
  }
  for (const span of spans) {
    if (span.status === 'error') figures.errors += 1
    if (span.kind === 'policy') figures.policyChecks += 1
    if (span.kind === 'approval') figures.approvals += 1
    figures.startedAt = Math.min(figures.startedAt, span.startedAt)
    if (span.endedAt === null) figures.endedAt = undefined
    else if (figures.endedAt !== undefined) figures.endedAt = Math.max(figures.endedAt, span.endedAt)
  }
  return figures
}

/** Returns the number of masked values of the span, including nested ones. */
export const maskedIn = ({ attributes }: Pick<Span, 'attributes'>): number =>
  attributes.reduce((sum, { masked, value }) => sum + (masked === undefined ? markersIn(value) : 1), 0)

function markersIn(value: JsonValue | undefined): number {
  if (typeof value !== 'object' || value === null) return 0
  if (isMasked(value)) return 1
  return Object.values(value).reduce<number>((sum, inner) => sum + markersIn(inner), 0)
}
