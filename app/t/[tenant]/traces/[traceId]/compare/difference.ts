import { at } from '#components/traces/model/span-tree.ts'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import type { SpanContents } from '#lib/schemas/traces.ts'
import { hiddenContent } from '#lib/traces/span-content.ts'
import type { Alignment } from './align.ts'

/** What differs between the two spans of a row, as bits. */
export const ADDED = 1
export const MISSING = 2
export const STATUS = 4
export const DURATION = 8
export const TOKENS = 16
export const COST = 32
export const INPUT = 64
export const OUTPUT = 128
/** Not a difference: a masked value is on either side, so what the span got or returned was not compared. */
export const HIDDEN = 256

export const DIFFERENT = ADDED | MISSING | STATUS | DURATION | TOKENS | COST | INPUT | OUTPUT

export type Call = SpanContents['calls'][number]

/** One trace of the comparison. `calls`, `input` and `output` are by span index. */
export type Compared = {
  spans: readonly TraceSpan[]
  calls: ReadonlyMap<number, Call>
  input: readonly string[]
  output: readonly string[]
}

/** No two runs take equally long. A duration differs from here on, in milliseconds and as a share of the longer one. */
const leastMs = 100
const leastShare = 0.2

/** Returns the differences of each row. */
export function differences({ left, right }: Alignment, one: Compared, other: Compared): Uint16Array {
  return Uint16Array.from(left, (from, row) => {
    const to = at(right, row)
    if (from < 0) return ADDED
    if (to < 0) return MISSING
    const [a, b] = [one.spans[from], other.spans[to]]
    if (a === undefined || b === undefined) return 0
    return (
      (stateOf(a) === stateOf(b) ? 0 : STATUS) |
      (isLonger(a, b) ? DURATION : 0) |
      callDifference(one.calls.get(from), other.calls.get(to)) |
      contentDifference(one.input[from], other.input[to], INPUT) |
      contentDifference(one.output[from], other.output[to], OUTPUT)
    )
  })
}

/** A program that does not set a status succeeded, as far as it says. */
export const stateOf = ({ status, endedAt }: TraceSpan): 'running' | 'error' | 'ok' =>
  endedAt === null ? 'running' : status === 'error' ? 'error' : 'ok'

/** In milliseconds; undefined while the span is open. */
export const durationOf = ({ startedAt, endedAt }: TraceSpan): number | undefined =>
  endedAt === null ? undefined : endedAt - startedAt

function isLonger(a: TraceSpan, b: TraceSpan): boolean {
  const [one, other] = [durationOf(a), durationOf(b)]
  if (one === undefined || other === undefined) return false
  const gap = Math.abs(one - other)
  return gap >= leastMs && gap >= leastShare * Math.max(one, other)
}

function callDifference(a: Call | undefined, b: Call | undefined): number {
  const tokens = a?.inputTokens !== b?.inputTokens || a?.outputTokens !== b?.outputTokens
  const cost = a?.cost?.amount !== b?.cost?.amount || a?.cost?.currency !== b?.cost?.currency
  return (tokens ? TOKENS : 0) | (cost ? COST : 0)
}

function contentDifference(a = '', b = '', bit: number): number {
  if (a === hiddenContent || b === hiddenContent) return a === '' || b === '' ? bit : HIDDEN
  return a === b ? 0 : bit
}

/** Returns for each row whether it or a row below it differs. */
export function leadsToDifference({ parent }: Alignment, found: Uint16Array): Uint8Array {
  const leads = Uint8Array.from(found, (bits) => ((bits & DIFFERENT) === 0 ? 0 : 1))
  for (let row = leads.length - 1; row >= 0; row--)
    if (leads[row] === 1 && at(parent, row) >= 0) leads[at(parent, row)] = 1
  return leads
}

/** How many rows of each sort there are. A span that changed in several ways counts once as changed. */
export function countDifferences(found: Uint16Array) {
  const counts = { added: 0, missing: 0, changed: 0, same: 0, hidden: 0 }
  for (const bits of found) {
    if (bits & ADDED) counts.added += 1
    else if (bits & MISSING) counts.missing += 1
    else if (bits & DIFFERENT) counts.changed += 1
    else counts.same += 1
    if (bits & HIDDEN) counts.hidden += 1
  }
  return counts
}
