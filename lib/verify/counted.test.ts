import { expect, test } from 'vitest'
import { all, counted } from './counted.ts'
import { knownUntil } from './freshness.ts'
import type { Note } from './note.ts'

test('one thing is not named in the plural', () => {
  const rows = [0, 1, 2].map((count) => counted(count, 'row is', 'rows are'))
  expect(rows).toEqual(['0 rows are', '1 row is', '2 rows are'])
  expect([1, 2].map((count) => all(count, 'row is', 'rows are'))).toEqual(['The only row is', 'All 2 rows are'])
})

test.each([
  [61_000, 1, ', 1 minute ago: its newest head has 1 record of 2026-01-31.'],
  [121_000, 2, ', 2 minutes ago: its newest head has 2 records of 2026-01-31.'],
  [49 * 3_600_000, 2, ', 2 days ago: its newest head has 2 records of 2026-01-31.'],
])('an archive of %d ms ago knows its log in words', (ms, size, text) => {
  const open = { origin: 'log.example/t/acme/2026-01-31', size } as Note
  const sealedAt = new Date(Date.now() - ms).toISOString()
  expect(knownUntil({ heads: { seals: undefined, open }, closedUntil: undefined }, sealedAt)).toContain(text)
})
