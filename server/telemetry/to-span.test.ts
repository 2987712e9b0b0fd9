import { expect, test } from 'vitest'
import { otlpJson, otlpProtobuf, type TestSpan } from '#server/testing/otlp.ts'
import { decodeJson } from './decode-json.ts'
import { decodeProtobuf } from './decode-protobuf.ts'
import { normalise } from './normalise.ts'
import { toSpan } from './to-span.ts'

// The text for comparing two deliveries of a span must not change, because earlier spans would then count as different.

const spans: TestSpan[] = [
  { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) },
  {
    traceId: 'c'.repeat(32),
    spanId: 'd'.repeat(16),
    parentSpanId: 'e'.repeat(16),
    name: 'say "ü" to a@b.example',
    startMs: 1_795_000_000_000.5,
    attributes: [
      ['text', 'quoted " and 😀'],
      ['number', -7.25],
      ['list', ['a', 1, true, { pairs: [['__proto__', 'x']] }]],
      ['gen_ai.prompt.0.content', 'secret'],
    ],
    events: [{ name: 'exception', attributes: [['exception.message', 'no']] }],
    status: { code: 2, message: 'failed "so"' },
    links: [{ traceId: 'f'.repeat(32), spanId: 'a'.repeat(16), traceState: 'x=1', attributes: [['why', 'retry']] }],
  },
]
const resource: [string, string][] = [
  ['service.name', 'x'],
  ['host.name', '"h"'],
]

test('the content of a span is JSON.stringify([span, resource, scope]), and the same in both encodings', () => {
  const encoded = [decodeProtobuf(otlpProtobuf(spans, resource)), decodeJson(Buffer.from(otlpJson(spans, resource)))]
  const contents = encoded.map((decoded) =>
    decoded.spans.map((scoped) => {
      const { content } = toSpan(scoped, normalise(scoped))
      expect(content).toBe(JSON.stringify([scoped.span, scoped.resource, scoped.scope]))
      return content
    }),
  )
  expect(contents[0]).toHaveLength(2)
  expect(contents[1]).toEqual(contents[0])
})
