/** How much of a growing text may be shown: its first `length` characters, or nothing because it contains a value of a class. */
export type Showable = { length: number } | { class: string }

/** Longer sensitive texts are recognised by their beginning of this length. */
const recognised = 200

/**
 * Checks a text that grows at its end. An ending that the next piece may complete to one of `known` is held back. Once the
 * text contains one, none of it may be shown any more, as maskValue() shows nothing of a text that contains one.
 */
export function partialMask(known: ReadonlyMap<string, string>): (text: string) => Showable {
  const beginnings = [...known].map(([text, className]): [string, string] => [text.slice(0, recognised), className])
  let looked = 0
  let found: string | undefined
  return (text) => {
    found ??= beginnings.find(([one]) => text.includes(one, Math.max(0, looked - one.length)))?.[1]
    looked = text.length
    if (found !== undefined) return { class: found }
    const held = beginnings.reduce((most, [one]) => Math.max(most, begun(text, one)), halfCharacter(text))
    return { length: text.length - held }
  }
}

/** The number of characters at the end of `text` that are the beginning of `one`. */
function begun(text: string, one: string): number {
  const first = one.charAt(0)
  for (let at = text.length - one.length + 1; ; at += 1) {
    at = text.indexOf(first, Math.max(0, at))
    if (at < 0) return 0
    if (one.startsWith(text.slice(at))) return text.length - at
  }
}

/** 1 if the text ends with a high surrogate, whose other half has not arrived. */
const halfCharacter = (text: string): number => (/[\ud800-\udbff]$/.test(text) ? 1 : 0)
