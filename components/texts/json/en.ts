import { text } from '#components/language/text.ts'

// Values of JSON, and what is wrong with a text that should be JSON.

export const none = text('none')
export const shape = text('{class}, {length, plural, one {# character} other {# characters}}')
export const emptyList = text('Empty list')
export const emptyObject = text('Empty object')
export const emptyName = text('(empty name)')
export const emptyText = text('Empty text')
export const anyValue = text('any value')
export const likePattern = text('like <shown>{pattern}</shown>, where * is any text')
export const atMost = text('at most <shown>{amount}</shown> for each call')
export const allEntries = text('Show all {count} entries')
export const allCharacters = text('… Show all {count} characters')
export const invalid = text('Not valid JSON.')
export const notObject = text('The input is an object: {example}.')
export const valueMissing = text('A value is missing.')
export const singleQuotes = text('Use double quotes for strings.')
export const notClosed = text('The closing quote of the string is missing.')
export const unknownEscape = text('The string contains an unknown escape sequence.')
export const notValue = text('{token} is not a JSON value.')
export const afterValue = text('Nothing may follow the value.')
export const trailingComma = text(
  '{close, select, brace {Remove the comma before the closing brace.} other {Remove the comma before the closing bracket.}}',
)
export const separatorMissing = text(
  '{close, select, brace {A comma or a closing brace is missing.} other {A comma or a closing bracket is missing.}}',
)
export const nameExpected = text('Expected a name in double quotes.')
export const colonMissing = text('A colon must follow the name.')
