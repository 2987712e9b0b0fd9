import { expect, it } from 'vitest'
import { beginningOf, longValues } from './long-values.ts'

const at = (path: string, value: string | number) => ({ path, value })

it('finds the values of which the page first shows only the beginning', () => {
  const values = [
    at('amount', 4200),
    at('fits', 'x'.repeat(1000)),
    at('characters', 'x'.repeat(1001)),
    at('20 lines', 'line\n'.repeat(19)),
    at('21 lines', 'line\n'.repeat(20)),
    { path: 'masked', masked: { class: 'pii.email', length: 5000 } },
  ]
  expect(longValues(values)).toEqual(['characters', '21 lines'])
})

it('shows the first 20 lines, and no more than 1000 characters of them', () => {
  expect(beginningOf('line\n'.repeat(30))).toBe(`${'line\n'.repeat(19)}line`)
  expect(beginningOf('x'.repeat(1500))).toHaveLength(1000)
})
