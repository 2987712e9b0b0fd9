import { expect, test } from 'vitest'
import { countFilters, filterFrom, inputOf, searchOf } from './filter.ts'

const id = '019345aa-0000-7000-8000-000000000001'
const from = (text: string) => filterFrom(new URLSearchParams(text))

test('the address selects the listed executions', () => {
  expect(inputOf(from(''))).toEqual({})
  expect(
    inputOf(from(`status=failed&agentId=${id}&startedBy=${id}&environment=production&q=+A-1003&sort=oldest`)),
  ).toEqual({
    status: ['failed'],
    agentId: id,
    startedBy: id,
    environment: 'production',
    q: 'A-1003',
    sort: 'oldest',
  })
  expect(inputOf(from('status=under-way'))).toEqual({
    status: ['queued', 'running', 'waiting_approval', 'waiting_input'],
  })
})

test('the last day of a period is included', () => {
  expect(inputOf(from('from=2026-11-22&to=2026-11-23'))).toEqual({
    from: '2026-11-22T00:00:00.000Z',
    to: '2026-11-24T00:00:00.000Z',
  })
})

test.each([
  'status=nonsense',
  'agentId=../x',
  'agentId=',
  `agentId=${id.toUpperCase()}`,
  'startedBy=me',
  'environment=Production%20',
  'from=yesterday',
  'to=2026-13-01',
  'sort=amount',
  'q=%20',
])('%s is ignored and never sent to the server', (text) => {
  expect(inputOf(from(text))).toEqual({})
})

test('an address keeps the filters, and the usual order is left out', () => {
  const search = { q: 'refund', status: 'failed', environment: 'staging', from: '2026-11-22', sort: 'oldest' }
  expect(searchOf(from(new URLSearchParams(search).toString()))).toEqual(search)
  expect(searchOf(from('sort=newest'))).toEqual({})
  expect(countFilters(from('status=failed&sort=oldest'))).toBe(1)
})
