import { expect, test } from 'vitest'
import { requestWith } from './example-request.ts'
import { groupByExpiry, sumOf } from './groups.ts'

const now = Date.parse('2026-11-23T21:30:00.000Z')
const at = (expiresAt: string) => requestWith({ approvalId: expiresAt, expiresAt })

test('requests are grouped by the time that is left, in the days of the reader’s zone', () => {
  const requests = [
    at('2026-11-23T22:15:00.000Z'),
    at('2026-11-23T23:15:00.000Z'),
    at('2026-11-26T00:00:00.000Z'),
    at('2026-12-24T00:00:00.000Z'),
  ]
  const titles = (zone: string) =>
    groupByExpiry(requests, now, zone).map(({ title, requests: own }) => `${title}: ${own.length}`)
  expect(titles('UTC')).toEqual(['Expires within the hour: 1', 'Later today: 1', 'Within seven days: 1', 'Later: 1'])
  // In Berlin it is half past ten in the evening, and 23:15 UTC is tomorrow.
  expect(titles('Europe/Berlin')).toEqual(['Expires within the hour: 1', 'Within seven days: 2', 'Later: 1'])
})

test('a request whose clock is stopped does not expire, whatever its time', () => {
  const stopped = requestWith({ expiresAt: '2026-11-23T12:00:00.000Z', clockStopped: true })
  const groups = groupByExpiry([stopped, at('2026-12-24T00:00:00.000Z')], now, 'UTC')
  expect(groups.map(({ title }) => title)).toEqual(['Later', 'Clock stopped'])
})

test('amounts are added exactly, for each currency', () => {
  const amounts = ['0.10', '0.20', '-0.05', '1000'].map((value) => requestWith({ amount: { value, currency: 'EUR' } }))
  const dollars = requestWith({ amount: { value: '5.5', currency: 'USD' } })
  expect(sumOf([...amounts, dollars, requestWith({ amount: null })])).toBe('€1,000.25 and $5.50')
  expect(sumOf([requestWith({ amount: null })])).toBe('')
})
