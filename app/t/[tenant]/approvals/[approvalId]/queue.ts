/** The place of one item in a list. */
export type Queue<Item> = {
  /** From 1; undefined when the item isn't in the list. */
  position: number | undefined
  total: number
  next: Item | undefined
  previous: Item | undefined
  /** The item to open after a decision on this one, and its place among the remaining items. */
  afterDecision: { item: Item; position: number; total: number } | undefined
}

/**
 * The place of `current` in the list as it was when the person opened it, so that positions don't jump while others decide.
 * The items that remain after a decision come from the live list, in the order of the opened one.
 */
export function queueAround<Item>(current: Item, atOpening: readonly Item[], live: readonly Item[]): Queue<Item> {
  const index = atOpening.indexOf(current)
  const left = [
    ...atOpening.filter((item) => live.includes(item)),
    ...live.filter((item) => !atOpening.includes(item)),
  ].filter((item) => item !== current)
  const before = index < 0 ? 0 : atOpening.slice(0, index).filter((item) => left.includes(item)).length
  const at = before < left.length ? before : 0
  const item = left[at]
  return {
    position: index < 0 ? undefined : index + 1,
    total: atOpening.length,
    next: index < 0 ? atOpening[0] : atOpening[index + 1],
    previous: index <= 0 ? undefined : atOpening[index - 1],
    afterDecision: item === undefined ? undefined : { item, position: at + 1, total: left.length },
  }
}
