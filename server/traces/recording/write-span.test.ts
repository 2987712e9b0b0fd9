import { expect, test } from 'vitest'
import type { JsonValue } from '#lib/json.ts'
import { commitment, type Disclosure } from '#server/traces/encryption/encrypt-span.ts'
import { resourceText, spanLeaf } from '#server/traces/proofs/span-leaf.ts'
import { writeResource, writeSpan } from './write-span.ts'

// The stored form of telemetry, compared with what the other code computes from the same span.

const cipher = {
  encrypt: (plaintext: Uint8Array | string, context: string) => Buffer.from(`${context}\n${plaintext.toString()}`),
}
const attribute = (key: string, value: JsonValue, className?: string) => {
  const json = JSON.stringify(value)
  const length = typeof value === 'string' ? value.length : json.length
  return className === undefined ? { key, json } : { key, json, masked: { class: className, length } }
}
const plain = {
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  parentSpanId: null,
  name: 'say "ü"\u2028',
  kind: 'model',
  status: 'ok',
  startedMicros: 1_795_000_000_000_001,
  endedMicros: 1_795_000_000_000_002,
  events: [],
  links: [],
  facts: {},
}
const full = {
  ...plain,
  parentSpanId: 'c'.repeat(16),
  attributes: [
    attribute('a', 'x'),
    attribute('content', 'secret "words" 😀', 'content'),
    attribute('__proto__', [1, -0.5, 1e21, true, null, [{ key: 'k', value: 'v' }]]),
    attribute('list', [{ key: 'k', value: 'v' }], 'text'),
  ],
  events: [
    { name: 'exception', at: '2026-11-20T00:00:00.000Z', attributes: [attribute('exception.message', 'no', 'error')] },
    { name: 'e', at: '2026-11-20T00:00:00.001Z', attributes: [] },
  ],
  links: [
    { traceId: 'd'.repeat(32), spanId: 'e'.repeat(16), attributes: [attribute('why', 'because', 'text')] },
    { traceId: 'd'.repeat(32), spanId: 'f'.repeat(16), attributes: [attribute('n', 1)] },
  ],
  facts: { tool: 'lookup', inputTokens: 3, agent: 'ä' },
}

test.each([{ ...plain, attributes: [] }, full])(
  'the written texts are JSON of the stored span, and the leaf is that of the stored span',
  (span) => {
    const { attributes, events, links, facts, leaf } = writeSpan(cipher, span, undefined)
    const stored = {
      ...span,
      attributes: JSON.parse(attributes),
      events: JSON.parse(events),
      links: JSON.parse(links),
      facts: JSON.parse(facts),
    }
    expect(stored.facts).toEqual(span.facts)
    expect(Buffer.from(leaf, 'binary')).toEqual(spanLeaf(stored))
    expect(Buffer.from(leaf, 'binary')).not.toEqual(spanLeaf({ ...stored, name: 'another' }))
  },
)

test('each sensitive value is encrypted with its salt for this span, and leaves its commitment and its length', () => {
  const { attributes, events, sealed } = writeSpan(cipher, full, 'ab'.repeat(32))
  const [context, text] = (sealed?.toString() ?? '').split('\n')
  expect(context).toBe(`spans/${full.traceId}/${full.spanId}`)
  const disclosures: Disclosure[] = JSON.parse(text ?? '')
  expect(disclosures.map(([, value]) => value)).toEqual([
    'secret "words" 😀',
    [{ key: 'k', value: 'v' }],
    'no',
    'because',
  ])
  expect(new Set(disclosures.map(([salt]) => salt)).size).toBe(4)
  const [content, list, error] = disclosures.map(commitment)
  expect(JSON.parse(attributes)).toEqual([
    { key: 'a', value: 'x' },
    { key: 'content', masked: { class: 'content', length: 17 }, sd: content },
    { key: '__proto__', value: [1, -0.5, 1e21, true, null, [{ key: 'k', value: 'v' }]] },
    { key: 'list', masked: { class: 'text', length: 25 }, sd: list },
  ])
  expect(JSON.parse(events)[0].attributes).toEqual([
    { key: 'exception.message', masked: { class: 'error', length: 2 }, sd: error },
  ])
  expect(writeSpan(cipher, { ...plain, attributes: [attribute('a', 1)] }, undefined).sealed).toBeNull()
})

test('a span commits to its resource by the hash of the stored resource', () => {
  const attributes = [attribute('service.name', 'x'), attribute('host.name', 'a@b.example', 'pii.email')]
  const resource = writeResource(cipher, attributes, 'batch_resources/1/0')
  const stored = JSON.parse(resource.attributes)
  expect(stored[1]).toMatchObject({ key: 'host.name', masked: { class: 'pii.email', length: 11 } })
  expect(resource.sealed?.toString()).toContain('a@b.example')
  const { leaf } = writeSpan(cipher, { ...plain, attributes: [] }, resource.hash)
  const read = { ...plain, attributes: [], resource: resourceText(stored) }
  expect(Buffer.from(leaf, 'binary')).toEqual(spanLeaf(read))
  expect(spanLeaf(read)).not.toEqual(spanLeaf({ ...plain, attributes: [] }))
})
