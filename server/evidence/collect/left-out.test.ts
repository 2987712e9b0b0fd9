import { expect, test } from 'vitest'
import { parseJson } from '#lib/verify/bytes.ts'
import { most } from '#lib/verify/limits.ts'
import { wireLimits } from '#server/kernel/limits.ts'
import { isTooLarge, lineRoom } from './left-out.ts'

const mebibyte = 1024 * 1024

test('a value of four million characters is too large, and so are values that have more bytes than a line has room for', () => {
  expect(isTooLarge('a'.repeat(4 * mebibyte - 2))).toBe(false)
  expect(isTooLarge('a'.repeat(4 * mebibyte))).toBe(true)
  expect(isTooLarge('\u20ac'.repeat(2 * mebibyte - 1))).toBe(false)
  expect(isTooLarge('\u20ac'.repeat(2 * mebibyte))).toBe(true)
  const room = lineRoom()
  expect(['a'.repeat(3 * mebibyte), 'b'.repeat(2 * mebibyte), 'c'.repeat(mebibyte)].map(room.fits)).toEqual([
    true,
    true,
    false,
  ])
  expect(room.fits('short')).toBe(true)
})

test('so are values with more structure than a line has room for, whatever their strings contain', () => {
  expect(isTooLarge(Array.from({ length: 400_001 }, () => 0))).toBe(true)
  expect(isTooLarge('[,'.repeat(500_000))).toBe(false)
})

test('a line with all that fits is one that a verifier reads, and the room next to it is for other members', () => {
  const room = lineRoom()
  const [text, list] = ['\\'.repeat(mebibyte), Array.from({ length: 399_000 }, () => 0)]
  expect([room.fits(text), room.fits(list)]).toEqual([true, true])
  const line = JSON.stringify({ state: {}, values: { text, list } })
  expect(Buffer.byteLength(line)).toBeLessThan(most.lineBytes)
  expect(parseJson(line, 'A line')).toEqual({ state: {}, values: { text, list } })
  expect(wireLimits.telemetry.shownBytes).toBeLessThan(most.lineBytes - mebibyte)
})
