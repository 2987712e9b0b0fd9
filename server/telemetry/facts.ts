import type { JsonValue } from '#lib/json.ts'
import type { SpanKind } from '#lib/schemas/traces.ts'
import { classOfText } from './sensitive.ts'

/** What every dialect can say of a span. Names and numbers, no content. */
export type Facts = {
  kind: SpanKind
  operation?: string | undefined
  agent?: string | undefined
  model?: string | undefined
  provider?: string | undefined
  tool?: string | undefined
  conversation?: string | undefined
  inputTokens?: number | undefined
  outputTokens?: number | undefined
}

/** Reads one attribute by its key. */
export type Read = (key: string) => JsonValue | undefined
/** Undefined for a span that does not speak the dialect. */
export type Dialect = (read: Read, name: string) => Facts | undefined

const longestName = 200
/** Names that are remembered: the same few come with every span. */
const maxKnown = 5_000
// Owned by this module: whether a text may be shown as a name.
const known = new Map<string, boolean>()

/** A name of something, as far as it may be shown: at most 200 characters, and nothing personal. */
export function nameIn(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > longestName) return undefined
  let shown = known.get(value)
  if (shown === undefined) {
    shown = !/\p{Cc}/u.test(value) && classOfText(value) === undefined
    // What clients name is theirs to choose: full means begin again.
    if (known.size >= maxKnown) known.clear()
    known.set(value, shown)
  }
  return shown ? value : undefined
}

export const countIn = (value: JsonValue | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
