/** A stretch of text as it is, or one character that would be invisible or move its neighbours, by its code. */
export type TextPart = { text: string } | { code: string; name: string | undefined }

/**
 * Characters that a reader can't see or that change how others are seen: controls, formatting (bidi, zero width), what
 * Unicode says may be ignored, private use, unassigned, lone surrogates, and blanks that look like nothing. Line breaks
 * and tabs are shown by the layout.
 */
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{DI}\u2800\u3164\uffa0]/u
/** Blanks at an edge are seen by nobody. */
const edge = /^[\p{Zs}\t]+|[\p{Zs}\t]+$/gu

const names: Readonly<Record<string, string>> = {
  '00AD': 'soft hyphen',
  '061C': 'arabic letter mark',
  '200B': 'zero width space',
  '200C': 'zero width non-joiner',
  '200D': 'zero width joiner',
  '200E': 'left-to-right mark',
  '200F': 'right-to-left mark',
  '202A': 'left-to-right embedding',
  '202B': 'right-to-left embedding',
  '202C': 'pop directional formatting',
  '202D': 'left-to-right override',
  '202E': 'right-to-left override',
  '2060': 'word joiner',
  '2066': 'left-to-right isolate',
  '2067': 'right-to-left isolate',
  '2068': 'first strong isolate',
  '2069': 'pop directional isolate',
  FEFF: 'zero width no-break space',
  '0020': 'space',
  '00A0': 'no-break space',
  '0009': 'tab',
}

/** `text` cut up for showing. `edges` also names blanks at its beginning and end, for values that are compared byte by byte. */
export function visibleParts(text: string, { edges = false }: { edges?: boolean } = {}): TextPart[] {
  const blanks = new Set<number>()
  if (edges)
    for (const match of text.matchAll(edge))
      for (let index = match.index; index < match.index + match[0].length; index++) blanks.add(index)
  const parts: TextPart[] = []
  let plain = ''
  let index = 0
  for (const character of text) {
    // Two selectors are part of ordinary emoji and change no reading order.
    const emoji = character === '\uFE0F' && /\p{Extended_Pictographic}$/u.test(plain)
    if ((hidden.test(character) && !emoji) || blanks.has(index)) {
      if (plain !== '') parts.push({ text: plain })
      plain = ''
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      parts.push({ code: `U+${code}`, name: names[code] })
    } else plain += character
    index += character.length
  }
  if (plain !== '') parts.push({ text: plain })
  return parts
}

/** How many characters of `text` are shown by their code. */
export const countHidden = (text: string, options: { edges?: boolean } = {}): number =>
  visibleParts(text, options).filter((part) => 'code' in part).length
