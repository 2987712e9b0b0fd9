/** A Cedar string literal in which all but plain characters are escaped by code point. */
export const cedarString = (text: string): string =>
  `"${Array.from(text, (character) =>
    /[\p{L}\p{N} ._/:'-]/u.test(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  ).join('')}"`
