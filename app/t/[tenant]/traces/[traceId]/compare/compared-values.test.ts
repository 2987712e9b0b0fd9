import { expect, test } from 'vitest'
import { compareValues } from './compared-values.ts'

test('values are compared one by one, also inside texts of JSON', () => {
  const first = [
    { key: 'arguments', value: { id: 'A-7', amount: '59.90', note: 'x' } },
    { key: 'messages', value: '[{"role":"user"}]' },
  ]
  const second = [
    { key: 'arguments', value: { amount: '60.00', id: 'A-7' } },
    { key: 'messages', value: '[{"role":"system"}]' },
  ]
  expect(compareValues(first, second)).toEqual({
    same: 1,
    masked: 0,
    changed: [
      {
        path: 'arguments.amount',
        before: { path: 'arguments.amount', value: '59.90' },
        after: { path: 'arguments.amount', value: '60.00' },
      },
      { path: 'arguments.note', before: { path: 'arguments.note', value: 'x' }, after: null },
      {
        path: 'messages[0].role',
        before: { path: 'messages[0].role', value: 'user' },
        after: { path: 'messages[0].role', value: 'system' },
      },
    ],
  })
})

test('masked values are counted, never compared, and a text that only begins like JSON is a text', () => {
  const masked = { class: 'pii.email', length: 20 }
  const inside = { $masked: masked }
  expect(
    compareValues(
      [
        { key: 'a', masked },
        { key: 'b', value: { mail: inside } },
        { key: 'c', value: '{odd' },
      ],
      [
        { key: 'a', masked: { ...masked, length: 21 } },
        { key: 'b', value: { mail: 'shown' } },
        { key: 'c', value: '{odd' },
      ],
    ),
  ).toEqual({ changed: [], masked: 2, same: 1 })
  expect(compareValues([{ key: 'a', masked }], []).changed).toEqual([{ path: 'a', before: { masked }, after: null }])
})
