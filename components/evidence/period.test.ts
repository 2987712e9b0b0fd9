import { expect, test } from 'vitest'
import { formatPeriod } from './period.ts'

test.each([
  ['2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z', '20 Nov 2026 (UTC)'],
  ['2026-11-14T00:00:00.000Z', '2026-11-21T00:00:00.000Z', '14 Nov 2026 to 20 Nov 2026 (UTC)'],
  ['2026-11-20T09:30:00.000Z', '2026-11-21T00:00:00.000Z', '20 Nov 2026, 09:30 UTC up to 21 Nov 2026, 00:00 UTC'],
])('%s to %s is "%s"', (startDate, endDate, text) => {
  expect(formatPeriod({ startDate, endDate })).toBe(text)
})
