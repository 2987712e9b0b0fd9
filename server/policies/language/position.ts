/** A position in a text as editors count it: from 1, columns in characters (code points). */
export type Position = { line: number; column: number }

/** The position of the UTF-8 byte `offset` in `text`, since Cedar counts bytes. An offset beyond the end gives the end. */
export function positionOfByte(text: string, offset: number): Position {
  const before = Buffer.from(text).subarray(0, offset).toString()
  const lines = before.split('\n')
  return { line: lines.length, column: Array.from(lines.at(-1) ?? '').length + 1 }
}
