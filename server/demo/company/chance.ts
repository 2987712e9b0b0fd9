/** Chosen things that look accidental, and are the same each time (mulberry32). */
export type Chance = {
  /** From 0 up to, but not including, 1. */
  next(): number
  /** A whole number from `least` to `most`. */
  from(least: number, most: number): number
  of<T>(choices: readonly [T, ...T[]]): T
}

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const from = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return { next, from, of: (choices) => choices[from(0, choices.length - 1)] ?? choices[0] }
}
