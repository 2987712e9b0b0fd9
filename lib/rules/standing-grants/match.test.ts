import { describe, expect, test } from 'vitest'
import { type ArgumentRule, amountMicros, isLike, matchOf } from './match.ts'

const rules: ArgumentRule[] = [
  { argument: 'orderId', is: 'like', pattern: 'A-*' },
  { argument: 'amount', is: 'amount', currency: 'EUR', perCall: '50.00' },
  { argument: 'currency', is: 'equal', value: 'EUR' },
  { argument: 'note', is: 'any' },
  { argument: 'parts', is: 'equal', value: { a: 1, b: [2] } },
]
const call = { orderId: 'A-7', amount: 50, currency: 'EUR', note: 'x', parts: { b: [2], a: 1 } }

describe('a call', () => {
  test('matches when each argument meets its rule, in any order of its members', () => {
    expect(matchOf(rules, call)).toEqual({ micros: 50_000_000n })
    expect(matchOf(rules, { ...call, amount: '0.000001' })).toEqual({ micros: 1n })
    expect(matchOf([], {})).toEqual({ micros: null })
  })
  test.each([
    ['another target', { orderId: 'B-7' }],
    ['a target that is a number', { orderId: 7 }],
    ['a greater amount', { amount: 50.01 }],
    ['a negative amount', { amount: -1 }],
    ['an amount that is too precise', { amount: '1.0000001' }],
    ['an amount in words', { amount: 'all' }],
    ['a huge amount', { amount: 1e21 }],
    ['another currency', { currency: 'USD' }],
    ['another value below', { parts: { a: 1, b: [3] } }],
    ['a further argument', { recipient: 'IBAN' }],
    ['a further argument with a name of the language', { toString: 'x' }],
  ])('does not match with %s', (_name, change) => {
    expect(matchOf(rules, { ...call, ...change })).toBeUndefined()
  })
  test.each(Object.keys(call))('does not match without %s', (name) => {
    const { [name as keyof typeof call]: _left, ...rest } = call
    expect(matchOf(rules, rest)).toBeUndefined()
  })
  test('does not find an argument in what every object has', () => {
    expect(matchOf([{ argument: 'constructor', is: 'any' }], {})).toBeUndefined()
  })
})

test.each([
  ['A-1', 'A-1', true],
  ['A-1', 'A-2', false],
  ['A-1', 'A-*', true],
  ['A-', 'A-*', true],
  ['XA-1', 'A-*', false],
  ['report.pdf', '*.pdf', true],
  ['a.pdf.exe', '*.pdf', false],
  ['a-b-c', 'a*b*c', true],
  ['a-c', 'a*b*c', false],
  ['ab', 'ab*ab', false],
  ['abab', 'ab*ab', true],
  ['a.b', 'a?b', false],
  ['', '*', true],
  ['A-1\n', 'A-1', false],
])('“%s” like “%s”: %s', (text, pattern, expected) => {
  expect(isLike(text, pattern)).toBe(expected)
})

test.each([
  [1, 1_000_000n],
  ['12.5', 12_500_000n],
  ['1e3', undefined],
  ['+1', undefined],
  [' 1', undefined],
  [Number.NaN, undefined],
  [null, undefined],
  [undefined, undefined],
])('the amount %s', (value, expected) => {
  expect(amountMicros(value)).toBe(expected)
})
