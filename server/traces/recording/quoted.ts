/** The number of cached texts, and their maximum length. */
const maxKnown = 2_000
const longest = 100

// Owned by this module: keys and names, of which the same few occur in all spans.
const known = new Map<string, string>()

/** Returns `text` as JSON, which is also its JCS form. Cached, for texts that recur. */
export function quoted(text: string): string {
  const before = known.get(text)
  if (before !== undefined) return before
  const made = JSON.stringify(text)
  if (text.length <= longest) {
    // Clients choose the names, so the cache is limited.
    if (known.size >= maxKnown) known.clear()
    known.set(text, made)
  }
  return made
}
