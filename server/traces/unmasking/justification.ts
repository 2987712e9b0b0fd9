const shortest = 20
const longest = 2000

export const justificationRule = `A justification must have ${shortest} to ${longest} characters.`

/** Returns the justification as it is stored, or undefined if it is too short or too long. */
export function justificationOf(text: string): string | undefined {
  const kept = text.trim()
  return kept.length < shortest || kept.length > longest ? undefined : kept
}
