import { diffLines } from 'diff'

/** A line of a comparison, with its numbers before and after; one of them is missing for an added or removed line. */
export type DiffLine = { change: 'same' | 'added' | 'removed'; text: string; before?: number; after?: number }
/** Equal lines far from every change are folded to their number. */
export type DiffPart = { lines: DiffLine[] } | { folded: number }

/** Equal lines shown before and after a change. */
const around = 3
/** Changed lines beyond this number are not compared: the texts then have little in common, and the time grows with the square. */
const mostChanges = 2000

/** The lines of two texts side by side; undefined if they differ too much for a comparison to help. */
export function lineDiff(before: string, after: string): DiffLine[] | undefined {
  let [left, right] = [0, 0]
  const changes = diffLines(withEnd(before), withEnd(after), { maxEditLength: mostChanges })
  return changes?.flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((text): DiffLine => {
        if (added) return { change: 'added', text, after: ++right }
        if (removed) return { change: 'removed', text, before: ++left }
        return { change: 'same', text, before: ++left, after: ++right }
      }),
  )
}

const withEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`)

/** The same lines, without those that are far from every change. */
export function foldSame(lines: readonly DiffLine[]): DiffPart[] {
  const near = new Set<number>()
  for (const [index, { change }] of lines.entries())
    if (change !== 'same') for (let at = index - around; at <= index + around; at++) near.add(at)
  const parts: DiffPart[] = []
  for (const [index, line] of lines.entries()) {
    const last = parts.at(-1)
    if (near.has(index)) {
      if (last !== undefined && 'lines' in last) last.lines.push(line)
      else parts.push({ lines: [line] })
    } else if (last !== undefined && 'folded' in last) last.folded += 1
    else parts.push({ folded: 1 })
  }
  return parts
}
