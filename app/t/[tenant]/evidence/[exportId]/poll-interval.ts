const FIRST_MS = 500
const FACTOR = 1.5
const LONGEST_MS = 10_000

/** How long to wait before looking again, after `looks` looks: half a second at first, then longer and longer, at most 10 s. */
export const pollInterval = (looks: number): number => Math.min(LONGEST_MS, FIRST_MS * FACTOR ** Math.max(0, looks - 1))
