import { expect, test } from 'vitest'
import { countSet, filterFrom, inputOf, noFilter, searchOf } from './filter.ts'

const agentId = '0198c000-0000-7000-8000-000000000001'

test('a filter survives being written to an address and read again', () => {
  const filter = {
    text: 'refund',
    agentId,
    status: 'error',
    kind: 'tool',
    from: '2026-02-01',
    to: '2026-02-28',
  } as const
  expect(filterFrom(new URLSearchParams(searchOf(filter)))).toEqual(filter)
  expect(countSet(filter)).toBe(6)
  expect(inputOf(filter)).toEqual({
    ...filter,
    from: '2026-02-01T00:00:00.000Z',
    to: '2026-03-01T00:00:00.000Z',
  })
})

test('invalid values in an address are ignored', () => {
  const search = new URLSearchParams({ agentId: 'x', status: 'lost', kind: 'y', from: 'today', to: '1', text: '  ' })
  expect(inputOf(filterFrom(search))).toEqual({})
  expect(filterFrom(new URLSearchParams())).toEqual(noFilter)
})
