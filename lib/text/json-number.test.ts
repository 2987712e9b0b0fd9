import { expect, test } from 'vitest'
import { isKeptByDouble } from './json-number.ts'

test.each([
  '0',
  '-0',
  '0.0e0',
  '1.0',
  '10e-1',
  '0.1',
  '0.10000000000000001',
  '-3.141592653589793',
  '9007199254740991',
  '1152921504606846976',
  '1e21',
  '1.7976931348623157E+308',
  '5e-324',
  '0.1000000000000000055511151231257827021181583404541015625',
  '1e400',
  '1.2.3',
])('%s is kept', (literal) => {
  expect(isKeptByDouble(literal)).toBe(true)
})

test.each([
  '9007199254740993',
  '1180591620717411303424',
  '123456789012345678901234567890',
  '-1000000000000000000000',
  '1.2345678901234567890123e29',
  '3.14159265358979323846',
  '4503599627370497.25',
  '1e-400',
  `0.${'0'.repeat(1_000_000)}1`,
])('%.40s is not', (literal) => {
  expect(isKeptByDouble(literal)).toBe(false)
})

test('every double is kept as JavaScript, and as 17 digits, write it', () => {
  for (let seed = 1; seed < 3000; seed++) {
    const value = Math.sin(seed) * 10 ** ((seed % 600) - 300)
    for (const literal of [JSON.stringify(value), value.toPrecision(17)])
      if (!Number.isInteger(value)) expect([literal, isKeptByDouble(literal)]).toEqual([literal, true])
  }
})
