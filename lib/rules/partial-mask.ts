/** How much of a text that still comes may be shown: its first `length` characters, or nothing because of the class of what it holds. */
export type Showable = { length: number } | { class: string }

/** A sensitive text that is longer is recognised by its beginning. */
const recognised = 200

/**
 * Looks at a text that grows at its end. What ends it and may become one of `known` with what comes next is held back; once
 * it holds one, none of it may be shown any more, as maskValue() shows none of a text that holds one.
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

/** How many characters at the end of `text` are the beginning of `one`. */
function begun(text: string, one: string): number {
  const first = one.charAt(0)
  for (let at = text.length - one.length + 1; ; at += 1) {
    at = text.indexOf(first, Math.max(0, at))
    if (at < 0) return 0
    if (one.startsWith(text.slice(at))) return text.length - at
  }
}

/** A surrogate whose other half has not come. */
const halfCharacter = (text: string): number => (/[\ud800-\udbff]$/.test(text) ? 1 : 0)
