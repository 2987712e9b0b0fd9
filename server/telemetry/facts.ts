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

/** A name of something, as far as it may be shown: at most 200 characters, and nothing personal. */
export const nameIn = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' &&
  value !== '' &&
  value.length <= 200 &&
  !/\p{Cc}/u.test(value) &&
  classOfText(value) === undefined
    ? value
    : undefined

export const countIn = (value: JsonValue | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
