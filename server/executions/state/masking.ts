import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { maskerWith, maskValue, sensitiveStrings } from '#lib/rules/mask.ts'
import { isMasked } from '#lib/rules/masked.ts'
import { partialMask, type Showable } from '#lib/rules/partial-mask.ts'
import type { ReleaseContent } from '#server/releases/content.ts'

/** Masks what members read of an execution: values at the manifest's sensitive paths, and wherever they appear again. */
export type Masker = (value: JsonValue) => JsonValue

/** `seen`: the payloads of the execution so far, which are its input and each step's output. */
export function maskerFor(content: ReleaseContent, seen: readonly JsonValue[]): Masker {
  return maskerWith(content.spec.data.sensitive, knownIn(content, seen))
}

const knownIn = ({ spec }: ReleaseContent, seen: readonly JsonValue[]): Map<string, string> =>
  new Map(seen.flatMap((value) => [...sensitiveStrings(value, spec.data.sensitive)]))

/** As maskerFor, for the text of a model's answer while it is streamed. */
export function partialMaskerFor(content: ReleaseContent, seen: readonly JsonValue[]): (text: string) => Showable {
  const answer = maskValue({ content: '-', toolCalls: [], finishReason: '-' }, content.spec.data.sensitive)
  if (isMasked(answer)) return () => ({ class: answer.$masked.class })
  const text = isJsonObject(answer) ? answer.content : undefined
  if (isMasked(text)) return () => ({ class: text.$masked.class })
  return partialMask(knownIn(content, seen))
}

/** A message for display: at most 500 characters, and replaced entirely when it contains a sensitive value. */
export function maskText(mask: Masker, text: string): string {
  const shown = mask(text)
  // The cut may split a surrogate pair, and PostgreSQL rejects half of one.
  return typeof shown === 'string'
    ? shown.slice(0, 500).toWellFormed()
    : 'The message is hidden because it contains a sensitive value.'
}
