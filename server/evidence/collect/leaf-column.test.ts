import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { LeafColumn } from './leaf-column.ts'

test.each([0, 1, 8191, 8192, 8193, 20_000])('returns %i hashes unchanged', (count) => {
  const all = randomBytes(count * 32)
  const column = new LeafColumn()
  for (let at = 0; at < count; at += 1) column.push(all.toString('hex', at * 32, at * 32 + 32))
  expect(Buffer.concat(column.pieces()).equals(all)).toBe(true)
})
