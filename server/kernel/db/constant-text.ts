// Long texts of statements are usually bulk inserts, which contain their rows and are not sent again: what is remembered for
// frequent texts leaves them out. These are long, but always the same.

// Owned by this module: a bounded number, because each is built once for a set of types.
const constants = new Set<string>()

export function constantText(text: string): string {
  constants.add(text)
  return text
}

export const isConstantText = (text: string): boolean => constants.has(text)
