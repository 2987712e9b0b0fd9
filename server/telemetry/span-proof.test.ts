import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'
import type { SpanProof } from '#lib/schemas/traces.ts'
import { opensCommitment, verifySpanProof } from '#lib/verify-span-proof.ts'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { erasureSearched, requestErasure } from '#server/testing/erasures.ts'
import { otlpProtobuf, type TestSpan } from '#server/testing/otlp.ts'
import { until } from '#server/testing/until.ts'

// The proof of one span of telemetry with its resource and links, which anyone with the key can verify.

let api: TestApi
let token: string
let owner: Client
beforeAll(async () => {
  api = await startApi()
  token = await api.client('telemetry')
  owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
}, 180_000)
afterAll(async () => {
  await owner.end()
  await api.close()
})

const sent = { traceId: newTraceId(), spanId: newSpanId(), linked: { traceId: newTraceId(), spanId: newSpanId() } }
const spans: TestSpan[] = [
  { traceId: sent.traceId, spanId: newSpanId(), name: 'before' },
  {
    traceId: sent.traceId,
    spanId: sent.spanId,
    name: 'chat small-1',
    startMs: 1_795_000_000_000.125,
    endMs: 1_795_000_000_001.5,
    attributes: [
      ['gen_ai.operation.name', 'chat'],
      ['gen_ai.prompt.0.content', 'Where is Pavel?'],
      ['ratio', 1e-7],
      ['list', ['a', 2, { pairs: [['__proto__', true]] }]],
    ],
    events: [{ name: 'exception', attributes: [['exception.message', 'Pavel is out']] }],
    links: [
      {
        ...sent.linked,
        traceState: 'vendor=Pavel',
        attributes: [
          ['why', 'retry'],
          ['email', 'pavel@x.example'],
        ],
      },
    ],
  },
  { traceId: sent.traceId, spanId: newSpanId(), name: 'after' },
]
beforeAll(async () => {
  const body = otlpProtobuf(spans, [
    ['service.name', 'searcher'],
    ['host.name', 'node-7'],
    ['process.owner.email', 'pavel@x.example'],
  ])
  const headers = { 'content-type': 'application/x-protobuf' }
  expect((await api.request(token, '/v1/traces', { method: 'POST', headers, body })).status).toBe(200)
}, 60_000)

type Attribute = { key: string; value?: JsonValue; masked?: { class: string } }
type Shown = {
  span: { resource: Attribute[]; links: { traceId: string; spanId: string; attributes: Attribute[] }[] }
  masking: { maskedValues: number }
}
const { traceId, spanId } = sent
const proofOf = async () =>
  payload<SpanProof>(await api.query(await api.person('vera'), 'traces.getSpanProof', { traceId, spanId }))
const sealed = () =>
  until(async () => {
    const proof = await proofOf()
    return proof.record.seal === 'sealed' ? proof : undefined
  }, 'a checkpoint covers the batch')

test('resource and links are stored, masked like attributes, and shown unmasked to members with permission', async () => {
  const maria = await api.person('maria')
  const { span, masking } = payload<Shown>(await api.query(maria, 'traces.getSpan', { traceId, spanId }))
  expect(span.resource).toEqual([
    { key: 'service.name', value: 'searcher' },
    { key: 'host.name', value: 'node-7' },
    { key: 'process.owner.email', masked: { class: 'identity', length: 15 } },
  ])
  expect(span.links).toEqual([
    {
      ...sent.linked,
      attributes: [
        { key: 'why', value: 'retry' },
        { key: 'email', masked: { class: 'identity', length: 15 } },
        { key: 'w3c.tracestate', masked: { class: 'text', length: 12 } },
      ],
    },
  ])
  expect(masking.maskedValues).toBe(5)
  const justification = { 'x-svc-justification': 'A proof that a justification shows the resource.' }
  const clear = await api.query(
    await api.person('pia'),
    'traces.getSpan',
    { traceId, spanId, includeSensitiveData: true },
    justification,
  )
  const shown = payload<Shown>(clear)
  expect(shown.span.resource[2]).toEqual({ key: 'process.owner.email', value: 'pavel@x.example' })
  expect(shown.span.links[0]?.attributes[2]).toEqual({ key: 'w3c.tracestate', value: 'vendor=Pavel' })
  const { rows } = await owner.query(
    'select r.attributes::text, links::text from batch_resources r join spans s using (audit_id)',
  )
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toMatch(/pavel/i)
})

test('a proof can be verified without the server, and a changed one is rejected', async () => {
  const proof = await sealed()
  expect(JSON.stringify(proof)).not.toMatch(/pavel/i)
  const checks = await verifySpanProof(proof, proof.verifierKey)
  expect(checks.map(({ name, ok }) => [name, ok])).toEqual(
    ['Span', 'Resource', 'Batch', 'Record', 'Signature'].map((name) => [name, true]),
  )
  const failing = async (changed: SpanProof, key = proof.verifierKey) =>
    (await verifySpanProof(changed, key)).filter(({ ok }) => !ok).map(({ name }) => name)
  expect(await failing({ ...proof, leaf: proof.leaf.replace('chat small-1', 'chat large-1') })).toEqual(['Batch'])
  expect(await failing({ ...proof, spanId: 'a'.repeat(16) })).toEqual(['Span'])
  expect(await failing({ ...proof, leaf: '{' })).toEqual(['Span', 'Resource', 'Batch'])
  expect(await failing({ ...proof, resource: (proof.resource ?? '').replace('node-7', 'node-8') })).toEqual([
    'Resource',
  ])
  expect(await failing({ ...proof, batch: { ...proof.batch, index: 0 } })).toEqual(['Batch'])
  expect(await failing({ ...proof, record: { ...proof.record, nonce: '0'.repeat(64) } })).toEqual(['Record'])
  expect(await failing({ ...proof, record: { ...proof.record, treeSize: 0 } })).toEqual(['Record', 'Signature'])
  const [name = ''] = proof.verifierKey.split('+')
  expect(await failing(proof, `${name}+00000000+${Buffer.alloc(33, 1).toString('base64')}`)).toEqual(['Signature'])
})

test('a disclosed value can be verified against its commitment', async () => {
  const { leaf } = await proofOf()
  const salt = Buffer.alloc(16, 7).toString('base64url')
  const sd = hash('sha256', `["${salt}","Pavel"]`, 'base64url')
  expect(await opensCommitment(sd, salt, '"Pavel"')).toBe(true)
  expect(await opensCommitment(sd, salt, '"Paul"')).toBe(false)
  // Each of the five masked values, except those of the resource, is represented once by its commitment.
  expect(leaf.match(/"sd":"[\w-]{43}"/g)).toHaveLength(4)
})

const run = promisify(execFile)

test('sha256sum and openssl suffice, as docs/log.md says', async () => {
  const proof = await sealed()
  const { batch, record } = proof
  const folder = await mkdtemp(join(tmpdir(), 'span-proof-'))
  try {
    const put = (name: string, content: string | Buffer) => writeFile(join(folder, name), content)
    await put('leaf', proof.leaf)
    await put('record', canonicalJson(record.record))
    const shell = async (script: string) => (await run('sh', ['-ec', script], { cwd: folder })).stdout.trim()
    const leaf = await shell(`{ printf '\\000'; cat leaf; } | sha256sum | cut -c1-64`)
    expect(batch.size).toBe(3)
    expect(batch.index).toBe(1)
    await put('hashes', Buffer.from(`01${batch.inclusionProof[0]}${leaf}`, 'hex'))
    const pair = await shell('sha256sum hashes | cut -c1-64')
    await put('hashes', Buffer.from(`01${pair}${batch.inclusionProof[1]}`, 'hex'))
    expect(await shell('sha256sum hashes | cut -c1-64')).toBe(batch.root)
    expect(JSON.stringify(record.record)).toContain(`sha256:${batch.root}`)
    await put('nonce', Buffer.from(record.nonce, 'hex'))
    const digest = await shell(`{ printf 'agcp.audit.record.v1\\n'; cat nonce record; } | sha256sum | cut -c1-64`)
    expect(`sha256:${digest}`).toBe(record.digest)
    // The signature of the checkpoint.
    const note = record.checkpoint ?? ''
    const [text = '', signatures = ''] = note.split('\n\n')
    await put('text', `${text}\n`)
    const own = signatures.split('\n')[0]?.split(' ').at(-1) ?? ''
    await put('sig', Buffer.from(own, 'base64').subarray(4))
    const key = Buffer.from(proof.verifierKey.split('+').slice(2).join('+'), 'base64').subarray(1)
    await put('key.der', Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key]))
    expect(
      await shell('openssl pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in text -sigfile sig'),
    ).toContain('Verified Successfully')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a span of an execution gets 409, an unknown span 404, and a member without permission 403', async () => {
  const vera = await api.person('vera')
  const list = payload<{ items: { traceId: string; executionId: string | null }[] }>(
    await api.query(vera, 'traces.list', { limit: 50 }),
  )
  const own = list.items.find(({ executionId }) => executionId !== null)?.traceId ?? ''
  const of = (id: string, who: string) =>
    api.query(who, 'traces.getSpanProof', { traceId: id, spanId: id.slice(0, 16) })
  expect(own).not.toBe('')
  expect(reason(await of(own, vera))).toBe('conflict')
  expect((await of(newTraceId(), vera)).status).toBe(404)
  expect((await of(own, token)).status).toBe(403)
})

test('an erasure removes the subject from resource and links, and the proof of the span remains valid', async () => {
  const pia = await api.person('pia')
  const ended = await erasureSearched(api, await requestErasure(api, 'pavel@x.example'))
  expect(ended.status).toBe('completed')
  const { span } = payload<Shown>(await api.query(pia, 'traces.getSpan', { traceId, spanId }))
  expect(span.resource[2]).toMatchObject({ key: 'process.owner.email', erased: true })
  expect(span.links[0]?.attributes[1]).toMatchObject({ key: 'email', erased: true })
  expect(span.links[0]?.attributes[2]).toMatchObject({ key: 'w3c.tracestate', masked: { class: 'text', length: 12 } })
  const proof = await sealed()
  expect((await verifySpanProof(proof, proof.verifierKey)).filter(({ ok }) => !ok)).toEqual([])
})
