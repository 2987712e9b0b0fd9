import { describe, expect, test } from 'vitest'
import { ReleaseContent } from '#server/releases/content.ts'
import { effectOf, inputInShort, stillShown } from './effect.ts'

const tool = (name: string, title: string, sideEffect: string) => ({
  server: 'payments',
  name,
  title,
  description: '',
  inputSchema: { type: 'object' },
  sideEffect,
  idempotent: false,
  digest: `sha256:${'0'.repeat(64)}`,
})

const contentWith = (runtime: object) =>
  ReleaseContent.parse({
    v: 1,
    agent: {
      id: '019345aa-0000-7000-8000-000000000001',
      name: 'refunds',
      displayName: 'Refund assistant',
      version: '1',
      manifestDigest: `sha256:${'0'.repeat(64)}`,
    },
    environment: 'production',
    spec: { runtime, data: { sensitive: [{ path: '$.email', class: 'pii.email' }] } },
    tools: [tool('lookup_order', 'Look up order', 'read'), tool('issue_refund', 'Issue refund', 'irreversible')],
  })

const content = contentWith({ steps: [{ id: 'a', wait: { input: 'x' } }] })
const observed = contentWith({ observe: {} })
const nothing = { content, request: undefined, calls: [], input: undefined }
const email = { $masked: { class: 'pii.email', length: 20 } }
const lookup = { tool: 'payments.lookup_order', arguments: { id: 'A-1003' } }
const refund = { tool: 'payments.issue_refund', arguments: { id: 'A-1003', amount: '59.90', currency: 'EUR' } }

describe('an execution is named', () => {
  test('by the request for its approval before anything else', () => {
    const request = {
      title: 'Issue refund of €60.00 for A-1',
      arguments: [
        { path: 'amount', value: '60.00' },
        { path: 'currency', value: 'EUR' },
      ],
    }
    expect(effectOf({ ...nothing, request, calls: [refund] })).toEqual({
      title: 'Issue refund of €60.00 for A-1',
      amount: { value: '60.00', currency: 'EUR' },
    })
  })

  test('by its first call that changes something', () => {
    expect(effectOf({ ...nothing, calls: [lookup, refund, { ...refund, arguments: { id: 'B' } }] })).toEqual({
      title: 'Issue refund of €59.90 for A-1003',
      amount: { value: '59.90', currency: 'EUR' },
    })
  })

  test('by its input while it has only read', () => {
    expect(effectOf({ ...nothing, calls: [lookup], input: { orderId: 'A-1003', email } })).toEqual({
      title: 'Refund assistant for A-1003',
      amount: null,
    })
  })

  test('by the call that an external agent asks for', () => {
    const input = {
      server: 'payments',
      tool: 'issue_refund',
      arguments: { id: 'A-7', amount: '5.00', currency: 'EUR' },
    }
    expect(effectOf({ ...nothing, content: observed, input })?.title).toBe('Issue refund of €5.00 for A-7')
    expect(inputInShort(observed, input).inputShown[0]).toEqual({ path: 'id', value: 'A-7' })
  })
})

describe('what is masked stays masked', () => {
  test('in the arguments of a call, and a masked amount is not an amount', () => {
    const masked = { tool: 'payments.issue_refund', arguments: { id: email, amount: email, currency: 'EUR' } }
    expect(effectOf({ ...nothing, calls: [masked] })).toEqual({ title: 'Issue refund', amount: null })
    expect(effectOf({ ...nothing, calls: [{ ...masked, arguments: email }] })?.title).toBe('Issue refund')
  })

  test('in the input', () => {
    expect(effectOf({ ...nothing, input: { orderId: email } })).toBeNull()
    expect(inputInShort(content, { email, orderId: 'A-1003' }).inputShown).toEqual([
      { path: 'email', masked: email.$masked },
      { path: 'orderId', value: 'A-1003' },
    ])
  })

  test('in a title that contains a value which became known as sensitive later', () => {
    const effect = { title: 'Write to elif@northwind.example', amount: null }
    const mask = (value: unknown) => (String(value).includes('elif') ? email : (value as string))
    expect(stillShown(effect, mask)).toBeNull()
    expect(stillShown({ ...effect, title: 'Write to C-1' }, mask)).toEqual({ title: 'Write to C-1', amount: null })
  })
})

test('without a request, a call or an input nothing is named, and calls of an odd form are tolerated', () => {
  expect(effectOf(nothing)).toBeNull()
  expect(effectOf({ ...nothing, calls: [null, 'odd', {}, { tool: 7 }, { tool: 'payments.unknown' }] })).toBeNull()
  expect(effectOf({ ...nothing, input: { text: 'Hello' } })).toBeNull()
})

test('the input is cut to three values of one line, and the others are counted', () => {
  const { inputShown: rows, inputOmitted } = inputInShort(content, {
    a: 'x'.repeat(500),
    b: [1, 2],
    c: null,
    d: 'left out',
  })
  expect(inputOmitted).toBe(2)
  expect(rows.map(({ path }) => path)).toEqual(['a', 'b[0]', 'b[1]'])
  expect(String(rows[0]?.value)).toMatch(/^x{79}…$/)
  expect(inputInShort(content, {})).toEqual({ inputShown: [], inputOmitted: 0 })
})

test('what an earlier release pinned as its input schema has no effect if it is of another form', () => {
  const odd = ReleaseContent.parse({ ...content, spec: { ...content.spec, inputSchema: 'odd' } })
  expect(odd.spec.inputSchema).toBeUndefined()
})
