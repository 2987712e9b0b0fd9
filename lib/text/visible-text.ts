import { lookAlikes } from './look-alikes.ts'

/**
 * A piece of unchanged text, or the code of one character that is invisible, would move its neighbours, or looks like another one, or of
 * white space that is long enough to push what follows out of sight. `letter`: the character itself, if it can be seen.
 */
export type TextPart = { text: string } | { code: string; name: string | undefined; letter?: string }

/**
 * Characters that are invisible or change how others appear: controls, formatting (bidi, zero width), default ignorables,
 * private use, unassigned, lone surrogates, and invisible spaces. The layout shows line breaks and tabs, unless they are many.
 */
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{DI}\u2800\u3164\uffa0]/u
/** Spaces at an edge are invisible. */
const edge = /^[\p{Zs}\t]+|[\p{Zs}\t]+$/gu

/** Three empty lines, or more spaces in a row than code is indented by. */
const gap = /[\p{Zs}\t]*(?:\n[\p{Zs}\t]*){4,}|[\p{Zs}\t]{80,}/gu

/** By the place where each begins: its length, and how it is shown. */
const gapsIn = (text: string): Map<number, { length: number; part: TextPart }> =>
  new Map(
    [...text.matchAll(gap)].map(({ index, 0: space }) => {
      const lines = space.split('\n').length - 1
      const part =
        lines > 0 ? { code: `↵ × ${lines}`, name: 'line breaks' } : { code: `␣ × ${space.length}`, name: 'spaces' }
      return [index, { length: space.length, part }]
    }),
  )

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

/** Splits `text` for display. `edges` also names spaces at its beginning and end, for values that are compared byte by byte. */
export function visibleParts(text: string, { edges = false }: { edges?: boolean } = {}): TextPart[] {
  const blanks = new Set<number>()
  if (edges)
    for (const match of text.matchAll(edge))
      for (let index = match.index; index < match.index + match[0].length; index++) blanks.add(index)
  const alike = lookAlikes(text)
  const gaps = gapsIn(text)
  const parts: TextPart[] = []
  let plain = ''
  let index = 0
  let shownTo = 0
  for (const character of text) {
    const space = gaps.get(index)
    if (space !== undefined) {
      parts.push(...(plain === '' ? [] : [{ text: plain }]), space.part)
      plain = ''
      shownTo = index + space.length
    }
    if (index < shownTo) {
      index += character.length
      continue
    }
    // Variation selector 16 is part of ordinary emoji and does not change the reading order.
    const emoji = character === '\uFE0F' && /\p{Extended_Pictographic}$/u.test(plain)
    const like = alike.get(index)
    if ((hidden.test(character) && !emoji) || blanks.has(index) || like !== undefined) {
      if (plain !== '') parts.push({ text: plain })
      plain = ''
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      parts.push(
        like === undefined
          ? { code: `U+${code}`, name: names[code] }
          : { code: `U+${code}`, name: `looks like “${like}”`, letter: character },
      )
    } else plain += character
    index += character.length
  }
  if (plain !== '') parts.push({ text: plain })
  return parts
}

/** The number of characters of `text` that are shown by their code: invisible ones and look-alikes. Much white space counts as one. */
export const countHidden = (text: string, options: { edges?: boolean } = {}): number =>
  visibleParts(text, options).filter((part) => 'code' in part).length

/** `text` with codes in place of such characters, for options, labels and sentences that are text alone. */
export const visibleText = (text: string): string =>
  visibleParts(text)
    .map((part) => ('text' in part ? part.text : `${part.letter ?? ''}[${part.code}]`))
    .join('')

/** White space and combining marks, which are invisible without a character next to them. */
const blank = /[\s\p{M}]/u

/** The characters of `text` that a reader can see: neither spaces nor the ones above. */
export const visibleCharacters = (text: string): string[] =>
  [...text].filter((character) => !hidden.test(character) && !blank.test(character))

/** Whether a reader can see anything of `text`. */
export const isVisible = (text: string): boolean => visibleCharacters(text).length > 0
