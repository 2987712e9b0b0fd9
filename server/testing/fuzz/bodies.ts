import { gzipSync } from 'node:zlib'
import { maxFileBytes } from '#lib/schemas/files.ts'
import { wireLimits } from '#server/kernel/limits.ts'

/** A body that is as large as a route allows, or small and meant to become large. `refused`: the only status that it may get. */
export type HostileBody = {
  name: string
  type: string
  encoding?: string
  body: Uint8Array<ArrayBuffer>
  /** How often the body is sent, for one that is larger than a test should create. Without a Content-Length. */
  times?: number
  refused?: number
  /** The only status that it may get from a caller that may send it. */
  answered?: number
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text))
const filled = (size: number, unit: string) => unit.repeat(Math.floor(size / unit.length))

/** JSON of `size` bytes that grows in each way that JSON can. */
const jsonOf = (size: number): [name: string, text: string, refused?: number][] => [
  ['empty objects', `{"json":{"x":[${filled(size - 100, '{},')}{}]}}`, 413],
  ['empty lists', `[${filled(size - 100, '[],')}[]]`, 413],
  ['members of one name', `{"json":{"input":{${filled(size - 100, '"a":1,')}"b":1}}}`, 400],
  [
    'different members',
    `{"input":{${Array.from({ length: Math.floor((size - 100) / 12) }, (_, index) => `"k${index}":1`).join(',')}}}`,
    413,
  ],
  ['levels', filled(size, '['), 400],
  ['escapes', `{"json":{"x":"${filled(size - 100, '\\u0041')}"}}`],
  ['one text', `{"json":{"yaml":"${filled(size - 100, 'a')}","source":"${'a'.repeat(10)}"}}`],
  ['quotes', `{"x":"${filled(size - 100, '\\"')}"}`],
  ['numbers', `[${filled(size - 100, '1e9,')}1]`, 413],
  [
    'as many values as are allowed',
    `{"json":{"x":[${Array(wireLimits.json.values - 6)
      .fill('"a"')
      .join(',')}]}}`,
  ],
  ['an open text', `{"json":"${filled(size - 100, 'a')}`, 400],
]

/** For every route that reads JSON. */
export const jsonBodies = (): HostileBody[] =>
  jsonOf(wireLimits.json.bytes).map(([name, text, refused]) => ({
    name,
    type: 'application/json',
    body: bytes(text),
    ...(refused === undefined ? {} : { refused }),
  }))

/** Fields of this JSON that a route's own work costs most with. */
export const heavyInputs: readonly { name: string; route: RegExp; input: unknown }[] = [
  {
    name: 'a manifest with thousands of wrong waits',
    route: /agents\.create$/,
    input: { yaml: `name: a\nspec:\n  runtime:\n    steps:\n${filled(60_000, '    - wait: 1\n')}` },
  },
  {
    name: 'a manifest with thousands of wrong inputs',
    route: /agents\.create$/,
    input: { yaml: `name: a\nspec:\n  inputs: [${filled(32_000, '1,')}1]` },
  },
  {
    name: 'a manifest of merges',
    route: /agents\.create$/,
    input: {
      yaml: `name: a\na: &a {${Array.from({ length: 3000 }, (_, index) => `k${index}: 1`).join(', ')}}\n${Array.from({ length: 45 }, (_, index) => `m${index}: {<<: *a}`).join('\n')}`,
    },
  },
  {
    name: 'a policy of many rules',
    route: /v1\/policies$/,
    input: { name: 'many-rules', source: filled(60_000, '@id("a") permit (principal, action, resource);\n') },
  },
  {
    name: 'a policy of parentheses',
    route: /v1\/policies$/,
    input: { name: 'parentheses', source: `permit (principal, action, resource) when { ${filled(60_000, '(')} };` },
  },
  { name: '9,000 members', route: /executions\.execute$/, input: memberInput(9_000) },
  { name: '60,000 members', route: /executions\.execute$/, input: memberInput(60_000) },
]

function memberInput(count: number) {
  const input = Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))
  return { agentId: '018f0000-0000-7000-8000-000000000000', environment: 'production', input }
}

/** For uploads, which are stored as they arrive: as many bytes as are allowed, more, and in the smallest pieces. */
export function fileBodies(): HostileBody[] {
  const type = 'application/octet-stream'
  const piece = new Uint8Array(1024 * 1024)
  const most = maxFileBytes / piece.length
  return [
    { name: 'the largest file', type, body: piece, times: most, answered: 201 },
    { name: 'a file without an end', type, body: piece, times: most + 1, answered: 413 },
    { name: 'a declared size beyond the limit', type, body: new Uint8Array(maxFileBytes + 1), answered: 413 },
    { name: 'a file in pieces of one byte', type, body: new Uint8Array(1), times: 20_000, answered: 201 },
    // Stored as it is: the server does not unpack files.
    {
      name: 'an archive that grows',
      type: 'application/gzip',
      body: gzipped(Buffer.alloc(200_000_000)),
      answered: 201,
    },
    {
      name: 'a type of thousands of parameters',
      type: `text/plain${filled(7_000, ';a=b')}`,
      body: new Uint8Array(1),
      answered: 201,
    },
  ]
}

const id = (length: number) => 'ab'.repeat(length)

/** For telemetry, in both encodings: large when it arrives, or after decompression. Data points are not read, so they may be more. */
export function telemetryBodies(signal: 'traces' | 'logs' | 'metrics' = 'traces'): HostileBody[] {
  const [groups, scopes, items] = {
    traces: ['resourceSpans', 'scopeSpans', 'spans'],
    logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
    metrics: ['resourceMetrics', 'scopeMetrics', 'metrics'],
  }[signal]
  const size = wireLimits.telemetry.bytes
  const span = `{"traceId":"${id(16)}","spanId":"${id(8)}","startTimeUnixNano":"1795000000000000000"}`
  const inScope = (spans: string) => `{"${groups}":[{"${scopes}":[{"${items}":[${spans}]}]}]}`
  const json: [string, string, number?][] = [
    ['empty resources', `{"${groups}":[${filled(size - 100, '{},')}{}]}`, 413],
    ['empty scopes', `{"${groups}":[{"${scopes}":[${filled(size - 100, '{},')}{}]}]}`, 413],
    ['an unknown member', `{"x":[${filled(size - 100, '{},')}{}]}`, 413],
    ['unknown members', `{${filled(size - 100, '"a":0,')}"b":0}`],
    ['the same spans', inScope(filled(size - 200, `${span},`) + span), 413],
    ['as many spans as are allowed', inScope(Array.from({ length: 19_999 }, () => span).join(','))],
    ['attributes of one span', inScope(`{"attributes":[${filled(size - 200, '{"key":"a"},')}{}]}`), 413],
    ['levels', filled(size, `{"${groups}":[`), 400],
  ]
  const zipped = json.map(
    ([name, text, refused]): HostileBody => ({
      name: `zipped ${name}`,
      type: 'application/json',
      encoding: 'gzip',
      body: new Uint8Array(gzipSync(text)),
      ...(refused === undefined ? {} : { refused }),
    }),
  )
  const wire = (name: string, unit: number[], refused?: number): HostileBody => ({
    ...protobuf(name),
    body: new Uint8Array(gzipSync(Buffer.alloc(size - (size % unit.length), Buffer.from(unit)))),
    ...(refused === undefined ? {} : { refused }),
  })
  const bodies: HostileBody[] = [
    ...zipped,
    wire('empty resources', [0x0a, 0x00], 413),
    wire('empty scopes', [0x0a, 0x02, 0x12, 0x00], 413),
    wire('empty groups', [0x13, 0x14], 400),
    wire('unknown fields', [0x18, 0x00]),
    wire('empty spans', [0x0a, 0x04, 0x12, 0x02, 0x12, 0x00], 413),
    { ...protobuf('one span of empty ids'), body: gzipped(oneSpan(size, [0x0a, 0x00])), refused: 413 },
    { ...protobuf('one span of empty attributes'), body: gzipped(oneSpan(size, [0x4a, 0x00])), refused: 413 },
    {
      name: 'a bomb',
      type: 'application/json',
      encoding: 'gzip',
      body: gzipped(Buffer.alloc(200_000_000)),
      refused: 413,
    },
  ]
  return signal === 'metrics' ? bodies.map(({ refused: _exactly, ...body }) => body) : bodies
}

const protobuf = (name: string) => ({
  name: `protobuf: ${name}`,
  type: 'application/x-protobuf',
  encoding: 'gzip',
})

const gzipped = (body: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(gzipSync(body))

function oneSpan(size: number, unit: number[]): Buffer {
  const span = Buffer.alloc(size - 64 - (size % unit.length), Buffer.from(unit))
  const within = (inner: Buffer) => Buffer.concat([Buffer.from([0x12]), varint(inner.length), inner])
  const resource = within(within(span))
  return Buffer.concat([Buffer.from([0x0a]), varint(resource.length), resource])
}

function varint(value: number): Buffer {
  const found: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...found, rest])
    found.push((rest % 128) + 128)
  }
}
