import { tokensOf } from './split-rules.ts'

/** The only form in which a soft forbid names the token that lifts it. */
const form = ['unless', '{', 'context', '.', 'fulfilled', '.', 'contains', '(', 'the token', ')', '}']

/**
 * The rule's text with another token in its lift; undefined when it does not have a lift in this form. In a set of several
 * policies the token identifies the rule's source, so that it does not lift a rule of the same name in another policy.
 */
export function withToken(text: string, literal: string): string | undefined {
  const tokens = [...tokensOf(text)]
  const found = tokens.findIndex((_, start) =>
    form.every((word, offset) => {
      const token = tokens[start + offset]?.text
      return token !== undefined && (word === 'the token' ? token.startsWith('"') : token === word)
    }),
  )
  const token = found === -1 ? undefined : tokens[found + form.indexOf('the token')]
  if (token === undefined) return undefined
  return text.slice(0, token.index) + literal + text.slice(token.index + token.text.length)
}
