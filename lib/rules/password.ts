/** The shortest password, in characters. NIST SP 800-63B: length matters, rules about kinds of characters do not. */
export const minPasswordLength = 12
/** The longest password, in bytes of UTF-8. */
export const maxPasswordBytes = 1024

export type PasswordFlaw = 'short' | 'long' | 'uniform' | 'obvious'

/** Why a person can't use this password, or undefined when they can. `known` are the obvious guesses: names, addresses. */
export function whyNotPassword(password: string, known: readonly string[]): PasswordFlaw | undefined {
  const characters = [...password.normalize('NFC')]
  if (characters.length < minPasswordLength) return 'short'
  if (new TextEncoder().encode(password).length > maxPasswordBytes) return 'long'
  if (new Set(characters).size < 5) return 'uniform'
  const lower = password.toLowerCase()
  const guess = known.find((word) => word.length >= 4 && isMostly(lower, word.toLowerCase()))
  if (guess !== undefined) return 'obvious'
}

/** A word with few characters around it is as easy to guess as the word itself. */
const isMostly = (text: string, word: string) =>
  text.includes(word) && text.length - word.length < minPasswordLength / 2
