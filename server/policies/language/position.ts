/** A place in a text, as editors count: both from 1, the column in characters (code points). */
export type Position = { line: number; column: number }

/** Where the UTF-8 byte `offset` of `text` stands. Cedar counts bytes; an offset beyond the end is the end. */
export function positionOfByte(text: string, offset: number): Position {
  const before = Buffer.from(text).subarray(0, offset).toString()
  const lines = before.split('\n')
  return { line: lines.length, column: Array.from(lines.at(-1) ?? '').length + 1 }
}
