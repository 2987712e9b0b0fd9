import { expect, test } from 'vitest'
import { draftIn, isChanged } from './draft.ts'

const first = { name: '', source: 'permit (…);' }

test('a stored draft with the texts of the form is restored', () => {
  expect(draftIn('{"name":"limits","source":""}', first)).toEqual({ name: 'limits', source: '' })
  expect(draftIn(undefined, first)).toBeUndefined()
  expect(draftIn('{', first)).toBeUndefined()
})

test.each([
  null,
  'limits',
  {},
  { name: 'limits' },
  { name: 'limits', source: 1 },
  { name: 'limits', source: '', purpose: '' },
  { name: 'limits', text: '' },
  ['limits', ''],
])('another one is not: %j', (stored) => {
  expect(draftIn(JSON.stringify(stored), first)).toBeUndefined()
})

test('a draft is changed if one of its texts is', () => {
  expect(isChanged({ ...first }, first)).toBe(false)
  expect(isChanged({ ...first, name: 'limits' }, first)).toBe(true)
})
