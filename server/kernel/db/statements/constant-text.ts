// Long texts of statements are usually bulk inserts, which contain their rows and are not sent again: what is remembered for
// frequent texts leaves them out. These are long, but always the same.

// Owned by this module: a bounded number, because each is built once for a set of types.
const constants = new Set<string>()

// Owned by this module: the few that are prepared whenever they are used.
const prepared = new Set<string>()

export function constantText(text: string): string {
  constants.add(text)
  return text
}

export const isConstantText = (text: string): boolean => constants.has(text)

/** A constant text that is prepared from its first use on, however many others are. */
export function preparedText(text: string): string {
  prepared.add(text)
  return text
}

export const isPreparedText = (text: string): boolean => prepared.has(text)
