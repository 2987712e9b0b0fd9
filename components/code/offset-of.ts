/**
 * Index of a line and column (both from 1, the column in characters) in a text. Positions beyond it are clamped to its end or the
 * line's.
 */
export function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split('\n')
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  const within = Array.from(lines[line - 1] ?? '')
    .slice(0, Math.max(0, column - 1))
    .join('').length
  return Math.min(text.length, before + within)
}
