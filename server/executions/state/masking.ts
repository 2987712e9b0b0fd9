import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { isMasked, maskValue, sensitiveStrings } from '#lib/rules/mask.ts'
import { partialMask, type Showable } from '#lib/rules/partial-mask.ts'
import type { ReleaseContent } from '#server/releases/content.ts'

/** Masks what people read of one execution: at the manifest's sensitive paths, and wherever those values turn up again. */
export type Masker = (value: JsonValue) => JsonValue

/** `seen` are the payloads of the execution so far: its input and each step's output. */
export function maskerFor(content: ReleaseContent, seen: readonly JsonValue[]): Masker {
  const paths = content.spec.data.sensitive
  const known = knownIn(content, seen)
  return (value) => maskValue(value, paths, known)
}

const knownIn = ({ spec }: ReleaseContent, seen: readonly JsonValue[]): Map<string, string> =>
  new Map(seen.flatMap((value) => [...sensitiveStrings(value, spec.data.sensitive)]))

/** The same for the text of a model's answer while it comes, piece by piece. */
export function partialMaskerFor(content: ReleaseContent, seen: readonly JsonValue[]): (text: string) => Showable {
  const answer = maskValue({ content: '-', toolCalls: [], finishReason: '-' }, content.spec.data.sensitive)
  if (isMasked(answer)) return () => ({ class: answer.$masked.class })
  const text = isJsonObject(answer) ? answer.content : undefined
  if (isMasked(text)) return () => ({ class: text.$masked.class })
  return partialMask(knownIn(content, seen))
}

/** A message for people: at most 500 characters, and none of it when it holds a sensitive value. */
export function maskText(mask: Masker, text: string): string {
  const shown = mask(text)
  // A cut may split a surrogate pair, and PostgreSQL stores no half of one.
  return typeof shown === 'string' ? shown.slice(0, 500).toWellFormed() : 'The message holds a sensitive value.'
}
