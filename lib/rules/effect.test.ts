import { expect, test } from 'vitest'
import { argumentRows, describeEffect } from './effect.ts'

test.each([
  [
    'Issue refund',
    { id: 'A-1', amount: '4200.00', currency: 'EUR' },
    'Issue refund of €4,200.00 for A-1',
    'refund of €4,200.00',
  ],
  ['Issue refund', { id: 'A-1' }, 'Issue refund for A-1', 'refund'],
  ['delete_file', { path: '/tmp/x' }, 'Delete file for /tmp/x', 'file'],
  ['restart', {}, 'Restart call', 'call'],
  ['look_up_order', { id: 'A-1' }, 'Look up order for A-1', 'order'],
  ['Send mail', { id: { $masked: { class: 'pii', length: 3 } } }, 'Send mail', 'mail'],
])('%s with %o becomes a sentence', (tool, args, title, effectLabel) => {
  expect(describeEffect(tool, args)).toMatchObject({ title, effectLabel })
})

test('every leaf has a row, and masked ones show class and length', () => {
  const masked = { $masked: { class: 'pii.email', length: 5 } }
  expect(argumentRows({ a: { b: [1, { c: masked }] }, d: {}, e: [], f: null })).toEqual([
    { path: 'a.b[0]', value: 1 },
    { path: 'a.b[1].c', masked: { class: 'pii.email', length: 5 } },
    { path: 'd', value: {} },
    { path: 'e', value: [] },
    { path: 'f', value: null },
  ])
})
