import type { JsonValue } from '#lib/json.ts'
import type { SpanKind } from '#lib/schemas/traces.ts'
import { classOfText } from './sensitive.ts'

/** The facts that every dialect can state about a span: names and numbers, no content. */
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
/** Returns undefined for a span of another dialect. */
export type Dialect = (read: Read, name: string) => Facts | undefined

const longestName = 200
/** The number of cached names. The same few occur in all spans. */
const maxKnown = 5_000
// Owned by this module: whether a text may be shown as a name.
const known = new Map<string, boolean>()

/** Returns a name if it may be shown: at most 200 characters, without personal data. */
export function nameIn(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > longestName) return undefined
  let shown = known.get(value)
  if (shown === undefined) {
    shown = !/\p{Cc}/u.test(value) && classOfText(value) === undefined
    // Clients choose the names, so the cache is limited.
    if (known.size >= maxKnown) known.clear()
    known.set(value, shown)
  }
  return shown ? value : undefined
}

export const countIn = (value: JsonValue | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
