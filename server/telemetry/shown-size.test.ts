import { expect, test } from 'vitest'
import type { Scoped } from './otlp.ts'
import { isTooLongToShow, mostShown } from './shown-size.ts'

const scopedWith = (attributes: { key: string; value: string }[], resource: { key: string; value: string }[] = []) =>
  ({ span: { attributes, events: [], links: [] }, resource }) as unknown as Scoped

test('long values are masked and count for nothing; keys and short values count with their escapes', () => {
  expect(isTooLongToShow(scopedWith([{ key: 'prompt', value: 'a'.repeat(16_000_000) }]))).toBe(false)
  expect(isTooLongToShow(scopedWith([{ key: 'a'.repeat(mostShown - 1000), value: '' }]))).toBe(false)
  expect(isTooLongToShow(scopedWith([{ key: 'a'.repeat(mostShown), value: '' }]))).toBe(true)
  expect(isTooLongToShow(scopedWith([{ key: '\u0001'.repeat(mostShown / 6), value: '' }]))).toBe(true)
  const short = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ key: `k${index}`, value: '\u0001'.repeat(200) }))
  expect(isTooLongToShow(scopedWith(short(1000)))).toBe(false)
  expect(isTooLongToShow(scopedWith(short(20_000)))).toBe(true)
})

test('a resource counts for each of its spans', () => {
  expect(isTooLongToShow(scopedWith([], [{ key: 'a'.repeat(mostShown), value: '' }]))).toBe(true)
})
