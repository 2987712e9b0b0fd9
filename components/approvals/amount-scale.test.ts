import { describe, expect, test } from 'vitest'
import { comparedWith, isUnusual, scaleOf } from './amount-scale.ts'

const usual = { currency: 'EUR', low: '22', median: '100', high: '412', amounts: ['22', '100', '412', '3000'] }
const euros = (value: string) => ({ value, currency: 'EUR' })

describe('an amount against the usual ones', () => {
  test.each([
    ['2300', '23 times the median. Of the last 4 approved, 1 was larger.'],
    ['450', '4.5 times the median. Of the last 4 approved, 1 was larger.'],
    ['500', '5 times the median. Of the last 4 approved, 1 was larger.'],
    ['4200', '42 times the median. Of the last 4 approved, none was larger.'],
    ['412', 'Within the usual range.'],
    ['5', 'Smaller than usual.'],
  ])('of %s', (value, words) => {
    expect(comparedWith(usual, euros(value))).toBe(words)
    expect(isUnusual(usual, euros(value))).toBe(words.includes('times'))
  })

  test('does not divide by a median of zero', () => {
    const free = { ...usual, low: '0', median: '0', high: '0', amounts: ['0', '0', '0'] }
    expect(comparedWith(free, euros('10'))).toBe('Larger than usual. Of the last 3 approved, none was larger.')
  })
})

test('a scale is logarithmic, and has a place for zero and for equal amounts', () => {
  const place = scaleOf(['1', '10', '100'])
  expect(['1', '10', '100', '1000'].map(place)).toEqual([0, 0.5, 1, 1])
  expect(scaleOf(['0', '1'])('0')).toBe(0)
  expect(scaleOf(['5', '5'])('5')).toBe(0.5)
})
