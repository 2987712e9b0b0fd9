import { StreamLanguage, type StringStream } from '@codemirror/language'

const EFFECTS = new Set(['permit', 'forbid'])
const WORDS = new Set(['when', 'unless', 'if', 'then', 'else', 'in', 'has', 'like', 'is'])
const VARIABLES = new Set(['principal', 'action', 'resource', 'context'])

/** Cedar's tokens: https://docs.cedarpolicy.com/policies/syntax-grammar.html. Only the server validates the text. */
function token(stream: StringStream): string | null {
  if (stream.eatSpace()) return null
  if (stream.match('//')) {
    stream.skipToEnd()
    return 'comment'
  }
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return 'string'
  if (stream.match(/^\d+/)) return 'number'
  if (stream.match(/^@[A-Za-z_]\w*/)) return 'meta'
  if (stream.match(/^[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*/)) return kindOf(stream.current())
  stream.next()
  return null
}

function kindOf(word: string): string | null {
  if (EFFECTS.has(word)) return 'keyword'
  if (WORDS.has(word)) return 'operatorKeyword'
  if (VARIABLES.has(word)) return 'variableName'
  if (word === 'true' || word === 'false') return 'bool'
  return word.includes('::') ? 'typeName' : null
}

export const cedar = StreamLanguage.define({
  name: 'cedar',
  token,
  languageData: { commentTokens: { line: '//' }, closeBrackets: { brackets: ['(', '[', '{', '"'] } },
})
