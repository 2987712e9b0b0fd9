/** What is remembered, and how long a text may be to be. */
const maxKnown = 2_000
const longest = 100

// Owned by this module: keys and names come with every span, and are few.
const known = new Map<string, string>()

/** `text` as JSON, which is also its JCS: for what comes again and again. */
export function quoted(text: string): string {
  const before = known.get(text)
  if (before !== undefined) return before
  const made = JSON.stringify(text)
  if (text.length <= longest) {
    // What clients name is theirs to choose: full means begin again.
    if (known.size >= maxKnown) known.clear()
    known.set(text, made)
  }
  return made
}
