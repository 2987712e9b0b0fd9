import { expect, test } from 'vitest'
import type { JsonValue } from '#lib/json.ts'
import { leafText } from './leaf-text.ts'

const values: JsonValue[] = [true, false, null, 0, 1, -1.5, 1e21, [], {}]
const alike = values.map((value) => JSON.stringify(value))
const strings = [
  ...['', 'order-1', 'two words', '{"a": 1}', '[1]', 'True', '[erased]', 'Erased', 'Empty text', 'Empty list'],
  ...['Empty object', 'Masked, pii, 4 characters', '\n1', ' {} ', '"', '"a', '"" Empty text'],
  ...alike,
  ...alike.map((text) => JSON.stringify(text)),
  ...alike.map((text) => JSON.stringify(JSON.stringify(text))),
]

test('no two values have the same text', () => {
  const texts = [...values, ...strings].map(leafText)
  expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([])
})

test('a string is quoted if it could be read as another value, or as words of the page', () => {
  expect(['order-1', 'two words', '{"a": 1}', '[1]', 'A-1 true'].map(leafText)).toEqual([
    'order-1',
    'two words',
    '{"a": 1}',
    '[1]',
    'A-1 true',
  ])
  for (const text of ['', 'true', 'TRUE', '42', '1e5', '[]', '{ }', '"true"', '[erased]', 'Erased', 'Empty text'])
    expect(leafText(text)).toBe(JSON.stringify(text))
  expect(leafText('Masked, pii, 4 characters')).toBe('"Masked, pii, 4 characters"')
})
