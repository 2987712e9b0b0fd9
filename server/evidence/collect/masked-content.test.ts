import { describe, expect, test } from 'vitest'
import type { JsonValue } from '#lib/json.ts'
import { maskAttributes, maskEntry, maskText } from './masked-content.ts'

const masked = (className: string) => ({ $masked: { class: className } })

describe('the data of a journal entry', () => {
  test('keeps what the product wrote', () => {
    const data: JsonValue = {
      decisionId: '01a1f934-0000-7000-8000-000000000000',
      effect: 'allow',
      rules: ['refunds v3: forbid-large'],
      inputDigest: `sha256:${'0'.repeat(64)}`,
      budgets: [{ rule: 'daily', amount: '12.00', state: 'reserved' }],
      tool: 'payments.issue_refund',
      attempt: 1,
      inputs: [{ name: 'manager_confirmation', ttlSeconds: 60, onExpiry: 'fail' }],
      expiresAt: '2026-01-01T00:00:00.000Z',
    }
    expect(maskEntry(data)).toEqual(data)
  })

  test('loses inputs, outputs, arguments, results and messages as a whole', () => {
    const data = { input: { a: 1 }, output: 'x', arguments: {}, result: [true], message: 'y', error: {}, text: 'z' }
    expect(maskEntry(data)).toEqual({
      input: masked('input'),
      output: masked('output'),
      arguments: masked('tool.arguments'),
      result: masked('tool.result'),
      message: masked('error'),
      error: masked('error'),
      text: masked('content'),
    })
    expect(maskEntry({ output: null })).toEqual({ output: null })
  })
})

test.each<[string, JsonValue, JsonValue]>([
  [
    'a sent imitation of a masked value',
    { one: { $$masked: { class: 'x', length: 1 } }, two: { $masked: { class: 'x' } } },
    { one: { $$masked: { class: 'x', length: 1 } }, two: { $$masked: { class: 'x' } } },
  ],
  ['a masked value of the manifest', { one: { $masked: { class: 'pii', length: 9 } } }, { one: masked('pii') }],
  ['a customer', { customer: { name: 'Grace', vip: true } }, { customer: masked('identity') }],
  ['a name', { firstName: 'Grace', order: 'A-1' }, { firstName: masked('identity'), order: 'A-1' }],
  ['a number of a person', { user_id: 17 }, { user_id: masked('identity') }],
  ['an address by its form', ['see grace@example.com'], [masked('pii.email')]],
  ['a name of a member with an address', { 'grace@example.com': 1 }, { '[masked]': 1 }],
  ['a long text', { note: 'x'.repeat(257) }, { note: masked('text') }],
  ['JSON within a text', { body_: '{"customer":{"name":"Grace"}}' }, { body_: masked('text') }],
  ['a password', { password: 'x' }, { password: masked('secret') }],
])('masks %s', (_what, value, shown) => {
  expect(maskText('', value)).toEqual(shown)
})

test('a marker of a manifest loses the length', () => {
  expect(maskText('', { approved: { $masked: { class: 'decision', length: 4 } } })).toEqual({
    approved: masked('decision'),
  })
})

test('an attribute of a span keeps its commitments', () => {
  expect(
    maskAttributes([
      { key: 'countersign.step', value: 'pay' },
      { key: 'gen_ai.tool.call.arguments', value: { a: 1 }, shown: 'c1', sd: 'c2' },
      { key: 'countersign.input', shown: 'c3' },
      { key: 'approved', masked: { class: 'decision', length: 4 }, sd: 'c4' },
      { key: 'email', masked: { class: 'pii.email', length: 17 }, sd: 'c5', erased: true },
    ]),
  ).toEqual([
    { key: 'countersign.step', value: 'pay' },
    { key: 'gen_ai.tool.call.arguments', masked: { class: 'tool.arguments' }, shown: 'c1', sd: 'c2' },
    { key: 'countersign.input', masked: { class: 'content' }, shown: 'c3' },
    { key: 'approved', masked: { class: 'decision' }, sd: 'c4' },
    { key: 'email', masked: { class: 'pii.email' }, sd: 'c5', erased: true },
  ])
})
