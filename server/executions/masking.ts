import type { JsonValue } from '#lib/json.ts'
import { maskValue, sensitiveStrings } from '#lib/rules/mask.ts'
import type { ReleaseContent } from '#server/releases/content.ts'

/** Masks what people read of one execution: at the manifest's sensitive paths, and wherever those values turn up again. */
export type Masker = (value: JsonValue) => JsonValue

/** `seen` are the payloads of the execution so far: its input and each step's output. */
export function maskerFor(content: ReleaseContent, seen: readonly JsonValue[]): Masker {
  const paths = content.spec.data.sensitive
  const known = new Map(seen.flatMap((value) => [...sensitiveStrings(value, paths)]))
  return (value) => maskValue(value, paths, known)
}

/** A message for people: at most 500 characters, and none of it when it holds a sensitive value. */
export function maskText(mask: Masker, text: string): string {
  const shown = mask(text)
  // A cut may split a surrogate pair, and PostgreSQL stores no half of one.
  return typeof shown === 'string' ? shown.slice(0, 500).toWellFormed() : 'The message holds a sensitive value.'
}
