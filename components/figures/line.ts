import type { Usual } from './usual.ts'

type Frame = { width: number; height: number }

/** So that the dot of the last day is not cut off. */
const margin = 4

/** The points of a line for SVG, from 0 to the largest value. It is broken at days without a figure. */
export function linesOf(days: readonly (number | null)[], { width, height }: Frame, usual: Usual | undefined) {
  const largest = Math.max(0, usual?.high ?? 0, ...days.map((day) => day ?? 0))
  const x = (index: number): number => round(margin + (index * (width - 2 * margin)) / Math.max(1, days.length - 1))
  const y = (value: number): number =>
    round(height - margin - (largest === 0 ? 0 : (value / largest) * (height - 2 * margin)))
  const lines: string[][] = [[]]
  for (const [index, day] of days.entries())
    if (day === null) lines.push([])
    else lines.at(-1)?.push(`${x(index)},${y(day)}`)
  const today = days.at(-1)
  return {
    lines: lines.filter((line) => line.length > 0).map((line) => line.join(' ')),
    last: today === null || today === undefined ? undefined : { x: x(days.length - 1), y: y(today) },
    band: usual && { y: y(usual.high), height: round(y(usual.low) - y(usual.high)) },
  }
}

const round = (value: number): number => Math.round(value * 10) / 10
