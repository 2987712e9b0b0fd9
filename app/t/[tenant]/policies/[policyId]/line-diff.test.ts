import { expect, test } from 'vitest'
import { foldSame, lineDiff } from './line-diff.ts'

const said = (before: string, after: string) =>
  lineDiff(before, after)?.map(
    ({ change, text, before: left = '', after: right = '' }) => `${left}|${right} ${change} ${text}`,
  )

test('lines keep their numbers in both texts', () => {
  expect(said('a\nb\nc', 'a\nx\nc\nd\n')).toEqual([
    '1|1 same a',
    '2| removed b',
    '|2 added x',
    '3|3 same c',
    '|4 added d',
  ])
  expect(said('a\n', 'a')).toEqual(['1|1 same a'])
})

test('equal lines are folded, except three on each side of a change', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`)
  const parts = foldSame(lineDiff(lines.join('\n'), lines.with(9, 'other').join('\n')) ?? [])
  expect(parts.map((part) => ('folded' in part ? part.folded : part.lines.length))).toEqual([6, 8, 7])
  expect(foldSame(lineDiff('a', 'a') ?? [])).toEqual([{ folded: 1 }])
})

test('texts that have almost nothing in common are not compared', () => {
  const long = (word: string) => Array.from({ length: 3000 }, (_, index) => `${word} ${index}`).join('\n')
  expect(lineDiff(long('a'), long('b'))).toBeUndefined()
})
