import { formatDuration } from '#components/language/formats.ts'

const second = 1000
const minute = 60 * second

/** How long something that still runs has taken, in the steps in which it is written. Rounded down: it is never longer than it is. */
export function soFar(since: number, now: number): number {
  const elapsed = Math.max(0, now - since)
  const step = elapsed < minute ? second : 10 * second
  return Math.floor(elapsed / step) * step
}

/** `0 s`, `7 s`, `2 min 10 s`, `1 h 20 min`: the decimals of a time that has ended would be over before they are read. */
export const formatSoFar = (elapsed: number): string =>
  elapsed < minute ? `${elapsed / second} s` : formatDuration(elapsed)
