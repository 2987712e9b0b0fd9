const shortest = 20
const longest = 2000

export const justificationRule = `A justification must have ${shortest} to ${longest} characters.`

/** The justification as it is kept; undefined when it says too little or too much. */
export function justificationOf(text: string): string | undefined {
  const kept = text.trim()
  return kept.length < shortest || kept.length > longest ? undefined : kept
}
