import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { leafHash, treeRoot } from '#server/audit/tree/merkle.ts'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { decodeProtobuf } from '#server/telemetry/decode-protobuf.ts'
import { exportSpans } from '#server/telemetry/export.ts'
import { aroundNow, exportRuntime, fetchArchive, parseLines } from '#server/testing/exports.ts'
import { otlpProtobuf, type TestSpan } from '#server/testing/otlp.ts'
import { commitment } from '#server/traces/encryption/encrypt-span.ts'

// Proves a span of telemetry in an archive, with its resource, events and links, only by the description in README.txt.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
})
afterAll(() => runtime.close())

type Attribute = [key: string, value: unknown] | [key: string, committed: { sd: string }]
type Stored = { key: string; value?: unknown; sd?: string }
const provable = ({ key, value, sd }: Stored): Attribute => [key, sd === undefined ? (value ?? null) : { sd }]
const sha256 = (text: string) => hash('sha256', text)
const micros = (at: string) => Date.parse(`${at.slice(0, 19)}Z`) * 1000 + Number(at.slice(20, 26))

/** As described in README.txt of the archive. */
function leafText(span: ReturnType<typeof parseLines>[number], resource: { attributes: Stored[] } | undefined): string {
  const { traceId, spanId, parentSpanId, name, kind, status, attributes, events, facts, links } = span
  const first = [traceId, spanId, parentSpanId, name, kind, status, micros(span.startedAt), micros(span.endedAt)]
  const own = [
    attributes.map(provable),
    events.map((one: { name: string; at: string; attributes: Stored[] }) => [
      one.name,
      one.at,
      one.attributes.map(provable),
    ]),
    Object.entries(facts).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]
  if (links.length === 0 && resource === undefined) return JSON.stringify(['agcp.span.v1', ...first, ...own])
  return JSON.stringify([
    'agcp.span.v2',
    ...first,
    ...own,
    links.map((one: { traceId: string; spanId: string; attributes: Stored[] }) => [
      one.traceId,
      one.spanId,
      one.attributes.map(provable),
    ]),
    resource === undefined
      ? null
      : sha256(JSON.stringify(['agcp.resource.v1', resource.attributes.map((one) => provable(one))])),
  ])
}

const traceId = newTraceId()
const now = Date.now()
const spans = (): TestSpan[] => [
  {
    traceId,
    spanId: newSpanId(),
    name: 'chat small-1',
    startMs: now + 0.125,
    endMs: now + 1.5,
    attributes: [
      ['gen_ai.operation.name', 'chat'],
      ['gen_ai.prompt.0.content', 'Where is Pavel?'],
    ],
    events: [{ name: 'exception', attributes: [['exception.message', 'Pavel is out']] }],
    links: [{ traceId: newTraceId(), spanId: newSpanId(), traceState: 'vendor=Pavel', attributes: [['why', 'retry']] }],
  },
  { traceId, spanId: newSpanId(), name: 'after', startMs: now, endMs: now },
]

async function archive(more: object) {
  const tenant = await runtime.tenant()
  const pia = await tenant.as('pia', { roles: ['auditor', 'privacy_officer'] })
  const exporter = await tenant.as('exporter', { roles: ['traces:write'] })
  const resource: [string, string][] = [
    ['service.name', 'searcher'],
    ['process.owner.email', 'pavel@x.example'],
  ]
  // One request with a resource, and one without.
  for (const attributes of [resource, []])
    await execute(exportSpans, exporter, await decodeProtobuf(otlpProtobuf(spans(), attributes)), {
      name: 'telemetry.export',
    })
  const job = await runtime.make(tenant, pia, {
    ...aroundNow(),
    // In case midnight passes during the test.
    startDate: new Date(now - 3_600_000).toISOString(),
    ...more,
  })
  const masked = ['spans', 'resources'].map((resource) => ({ resource, reason: 'masked' }))
  expect(job).toMatchObject({ status: 'completed', omissions: job.includeRawPayloads ? [] : masked })
  const { text } = await runtime.extract(tenant.slug, await fetchArchive(pia, job.exportId))
  const date = new Date(now).toISOString().slice(0, 10)
  return {
    text,
    date,
    lines: async (name: string) => parseLines(await text(`data/${name}.ndjson`)),
    spans: parseLines(await text(`data/traces/${date}.spans.ndjson`)),
    resources: parseLines(await text(`data/traces/${date}.resources.ndjson`)),
  }
}

test('the proof of each span leads to the root in its audit record; that of a changed span does not', async () => {
  const { lines, spans, resources, date } = await archive({})
  const batches = new Map((await lines(`traces/${date}.batches`)).map(({ auditId, leaves }) => [auditId, leaves]))
  const days = [date, new Date().toISOString().slice(0, 10)]
  const records = (await Promise.all([...new Set(days)].map((day) => lines(`audit/${day}`)))).flat()
  expect([spans.length, resources.length, batches.size]).toEqual([4, 1, 2])
  for (const span of spans) {
    const resource = resources.find(
      (one) => one.auditId === span.auditId && one.resourceIndex === span.resourceIndex && span.resourceIndex !== null,
    )
    expect(resource === undefined).toBe(span.resourceIndex === null)
    const leaves: string[] = batches.get(span.auditId)
    const leaf = (one: typeof span) => leafHash(Buffer.from(leafText(one, resource))).toString('hex')
    expect(leaf(span)).toBe(leaves[span.batchIndex])
    expect(leaf({ ...span, name: `${span.name}!` })).not.toBe(leaves[span.batchIndex])
    const root = treeRoot(leaves.map((one) => Buffer.from(one, 'hex'))).toString('hex')
    const record = records.find((one) => one.leaf.auditId === span.auditId)
    expect(record?.record.details.root).toBe(`sha256:${root}`)
  }
  expect(spans.flatMap(({ links }) => links)).toHaveLength(2)
  expect(JSON.stringify([spans, resources])).not.toContain('avel')
})

test('an archive omits batches without proofs, and contains the sensitive values of resources with raw payloads', async () => {
  const { text, lines, resources, date } = await archive({
    includeProofs: false,
    includeRawPayloads: true,
    justification: 'The supervisory authority asks for the conversations of case 4711.',
  })
  expect(await text('manifest-sha256.txt')).not.toContain('.batches.ndjson')
  const values = await lines(`raw/${date}.values`)
  const owner = values.find((one) => one.key === 'process.owner.email')
  expect(owner).toMatchObject({ auditId: resources[0].auditId, resourceIndex: 0, value: 'pavel@x.example' })
  const kept = resources[0].attributes.find((one: Stored) => one.key === 'process.owner.email')
  expect([kept.sd, commitment([owner.salt, owner.value])]).toEqual([owner.commitment, owner.commitment])
  expect(values.filter((one) => one.link !== undefined)).toHaveLength(2)
})
