import { expect, test } from 'vitest'
import { factText } from './fact-text.ts'

test('a fact is quoted if it could be read as words of the page, and never because it is a number', () => {
  expect(['A-1001', '42', 'true', 'unknown sender', '€4.00'].map(factText)).toEqual([
    'A-1001',
    '42',
    'true',
    'unknown sender',
    '€4.00',
  ])
  for (const text of ['unknown', 'Unknown ', '', '"unknown"', '[erased]', 'Masked, pii, 4 characters'])
    expect(factText(text)).toBe(JSON.stringify(text))
})
