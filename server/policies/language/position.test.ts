import { expect, test } from 'vitest'
import { positionOfByte } from './position.ts'

test('a character of several bytes counts as one column', () => {
  const text = 'é😀x\nlöx'
  const byteOf = (needle: string, from = 0) => Buffer.byteLength(text.slice(0, text.indexOf(needle, from)))
  expect(positionOfByte(text, 0)).toEqual({ line: 1, column: 1 })
  expect(positionOfByte(text, byteOf('x'))).toEqual({ line: 1, column: 3 })
  expect(positionOfByte(text, byteOf('x', 6))).toEqual({ line: 2, column: 3 })
})

test('an offset beyond the end gives the position of the end', () => {
  expect(positionOfByte('ab\n', 99)).toEqual({ line: 2, column: 1 })
})
