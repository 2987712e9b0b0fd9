import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'
import { payloadDigestOf } from '#server/approvals/payload-digest.ts'
import { insertErased } from '#server/kernel/content/erased-store.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { expireExecutions } from '#server/privacy/retention-store.ts'
import { insertActivity } from '#server/testing/activity.ts'
import { aroundNow, auditorOf, exportRuntime, fetchArchive, parseLines } from '#server/testing/exports.ts'
import { readPayload } from '#server/testing/extract.ts'
import { asOwner } from '#server/testing/owner.ts'
import type { TestTenant } from '#server/testing/tenant.ts'
import { commitment } from '#server/traces/encryption/encrypt-span.ts'
import { endSpan, masked, startSpan, startTrace } from '#server/traces/recording/record.ts'
import { eraseFrom } from '#server/traces/retention/erase.ts'

// What an archive without raw payloads reveals, and what it says that it leaves out.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
})
afterAll(() => runtime.close())

const justification = 'The supervisory authority asks for the conversations of case 4711.'
const raw = () => ({ ...aroundNow(), includeRawPayloads: true, justification })
const officerOf = (tenant: TestTenant) => tenant.as('pia', { roles: ['auditor', 'privacy_officer'] })

const paid = { amount: 137, approved: true, mail: 'grace@example.com', customer: { name: 'Grace Hopper' } }

/** A trace of an execution, whose content is `value`. */
async function insertTrace(tenant: TestTenant, value: JsonValue): Promise<string> {
  const traceId = newTraceId()
  const spanId = newSpanId()
  await runtime.database.inTenant(tenant.id, async (tx) => {
    await startTrace(tx, tenant.id, { traceId, name: 'refund', startedAt: new Date() })
    const attributes = [
      { key: 'countersign.step', value: 'pay' },
      masked('countersign.input', value, (shown) => shown),
      masked('gen_ai.tool.call.arguments', value, (shown) => shown),
      { key: 'approved', value: true, class: 'decision' },
    ]
    await startSpan(tx, tenant.id, { traceId, spanId, name: 'tool', kind: 'tool', attributes, startedAt: new Date() })
    const statusMessage = `Paid ${JSON.stringify(value)}`
    await endSpan(tx, tenant.id, {
      traceId,
      spanId,
      status: 'error',
      statusMessage,
      attributes: [],
      endedAt: new Date(),
    })
  })
  return `${traceId}/${spanId}`
}

describe('a guesser with an archive without raw payloads', () => {
  /** Every text of an archive that may be a digest, as hexadecimal. */
  const digestsIn = (files: ReadonlyMap<string, string>): Set<string> => {
    const found = new Set<string>()
    for (const text of files.values()) {
      for (const [hex] of text.matchAll(/[0-9a-f]{64}/g)) found.add(hex)
      for (const [base64] of text.matchAll(/[\w+/-]{43}/g)) found.add(Buffer.from(base64, 'base64url').toString('hex'))
    }
    return found
  }

  /** Every text that may be a salt: of 128 or 256 bits, and none. */
  const saltsIn = (files: ReadonlyMap<string, string>): string[] => {
    const all = [...files.values()].join('\n')
    return ['', ...new Set(all.match(/(?<=")[\w-]{22}(?=")|(?<=")[\w-]{43}(?=")/g) ?? [])]
  }

  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

  /** Tries all values of the space, and returns those of which the archive has a digest. */
  function guess(files: ReadonlyMap<string, string>, salts: readonly string[]): JsonValue[] {
    const digests = digestsIn(files)
    const hit = (value: JsonValue) => {
      const plain = [canonicalJson(value), JSON.stringify(value), `{"email":${canonicalJson(value)}}`]
      const salted = salts.map((salt) => canonicalJson([salt, value]))
      return [...plain, ...salted].some((text) => digests.has(sha256(text)))
    }
    const found: JsonValue[] = [true, false, 'grace@example.com', 'Grace Hopper', paid.customer].filter(hit)
    for (let amount = 0; amount < 200; amount += 1) {
      if (hit(amount)) found.push(amount)
      for (const approved of [true, false])
        for (const mail of ['ada@example.com', 'grace@example.com']) {
          const whole = { amount, approved, mail, customer: paid.customer }
          if (hit(whole) || hit(JSON.stringify(whole))) found.push(whole)
        }
    }
    return found
  }

  test('finds no value of a small space, with every salt that it contains', async () => {
    const tenant = await runtime.tenant()
    const pia = await officerOf(tenant)
    await insertActivity(runtime, tenant, pia.principal.memberId, paid)
    await insertTrace(tenant, paid)
    const { exportId } = await runtime.make(tenant, pia)
    const { top } = await runtime.extract('guessed', await fetchArchive(pia, exportId))
    const files = await readPayload(top)
    expect(guess(files, saltsIn(files).slice(0, 200))).toEqual([])
    for (const [path, text] of files) expect([path, text.match(/Grace|grace@|"amount|137,/)]).toEqual([path, null])
    // Nor by the length of what is masked.
    for (const [path, text] of files) expect([path, text.match(/"\$?masked":\{[^}]*"length"/)]).toEqual([path, null])

    // The guesser is right where it has the salts: those of the same values in an archive with raw payloads.
    const job = await runtime.make(tenant, pia, raw())
    const { top: other } = await runtime.extract('guessed raw', await fetchArchive(pia, job.exportId))
    const clear = await readPayload(other)
    const salts = [...new Set([...clear.values()].join('\n').match(/(?<="salt":")[\w-]{43}(?=")/g))]
    expect(guess(files, salts)).toEqual(expect.arrayContaining([paid]))
    expect(guess(new Map([['planted', sha256(canonicalJson(paid))]]), [])).toEqual([paid])
  })
})

describe('columns of content', () => {
  const contentFiles = [
    'approvals',
    'executions',
    'execution-events',
    'execution-steps',
    'input-events',
    'input-resolutions',
    'files',
    'decisions',
  ]

  test('are the same commitments in both kinds of archive, and only one with raw payloads opens them', async () => {
    const tenant = await runtime.tenant()
    const pia = await officerOf(tenant)
    await insertActivity(runtime, tenant, pia.principal.memberId, paid)
    const plain = await runtime.make(tenant, pia)
    const open = await runtime.make(tenant, pia, raw())
    expect(plain).toMatchObject({
      status: 'completed',
      omissions: contentFiles.map((resource) => ({ resource, reason: 'masked' })),
    })
    expect(open).toMatchObject({ status: 'completed', omissions: [] })
    const first = await runtime.extract('columns', await fetchArchive(pia, plain.exportId))
    const second = await runtime.extract('columns raw', await fetchArchive(pia, open.exportId))
    let opened = 0
    for (const file of contentFiles) {
      const [before] = parseLines(await first.text(`data/${file}.ndjson`))
      const [after] = parseLines(await second.text(`data/${file}.ndjson`))
      expect(before).not.toHaveProperty('values')
      for (const [column, { salt, value }] of Object.entries<{ salt: string; value: JsonValue }>(after.values)) {
        expect(commitment([salt, value])).toBe(after[column])
        expect(before[column]).toBe(after[column])
        opened += 1
      }
    }
    expect(opened).toBe(13)
  })

  test('with payload and salt make the digest of an approval and of a decision', async () => {
    const tenant = await runtime.tenant()
    const pia = await officerOf(tenant)
    await insertActivity(runtime, tenant, pia.principal.memberId, paid)
    const job = await runtime.make(tenant, pia, raw())
    const { text } = await runtime.extract('digests', await fetchArchive(pia, job.exportId))
    const [approval] = parseLines(await text('data/approvals.ndjson'))
    const [decision] = parseLines(await text('data/decisions.ndjson'))
    const digest = (value: JsonValue) => `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`
    expect(digest(approval.values.payload.value)).toBe(approval.payloadDigest)
    expect(digest(decision.values.request.value)).toBe(decision.inputDigest)
  })

  test('of versions before salts do not show their digests, which could be guessed from', async () => {
    const tenant = await runtime.tenant()
    const pia = await officerOf(tenant)
    const { approvalId, decisionId, eventId } = await insertActivity(runtime, tenant, pia.principal.memberId, paid)
    const cipher = await runtime.database.inTenant(tenant.id, (tx) => tenantCipher(tx, tenant.id))
    for (const [table, id, column, digest] of [
      ['approvals', approvalId, 'payload', 'payload_digest'],
      ['policy_decisions', decisionId, 'request', 'input_digest'],
      ['input_events', eventId, 'attributes', 'fingerprint'],
    ] as const) {
      const unsalted = cipher.encryptJson(paid, contentContext(table, [id], column))
      const change = `update ${table} set ${column} = $1, ${digest} = $2 where id = $3`
      await asOwner(runtime, change, [unsalted, payloadDigestOf(paid), id])
    }
    const digests = async (name: string, input: object) => {
      const job = await runtime.make(tenant, pia, input)
      const { text } = await runtime.extract(name, await fetchArchive(pia, job.exportId))
      const [[approval], [decision], [event]] = [
        parseLines(await text('data/approvals.ndjson')),
        parseLines(await text('data/decisions.ndjson')),
        parseLines(await text('data/input-events.ndjson')),
      ]
      return [approval.payloadDigest, decision.inputDigest, event.fingerprint]
    }
    const digest = expect.stringContaining('sha256:')
    expect(await digests('unsalted', aroundNow())).toEqual([null, null, null])
    expect(await digests('unsalted raw', raw())).toEqual([digest, digest, digest])
  })

  test('keep their commitments after retention, and omissions say that the values are gone', async () => {
    const tenant = await runtime.tenant()
    const pia = await officerOf(tenant)
    const { executionId } = await insertActivity(runtime, tenant, pia.principal.memberId, paid)
    const before = await runtime.make(tenant, pia)
    const { text } = await runtime.extract('kept', await fetchArchive(pia, before.exportId))
    const [kept] = parseLines(await text('data/executions.ndjson'))
    await runtime.database.inTenant(tenant.id, async (tx) => {
      const gone = await expireExecutions(tx, tenant.id, [executionId])
      await insertErased(tx, tenant.id, null, gone)
    })
    const after = await runtime.make(tenant, pia, raw())
    expect(after.omissions).toContainEqual({ resource: 'executions', id: executionId, reason: 'retention_expired' })
    const { text: later } = await runtime.extract('kept later', await fetchArchive(pia, after.exportId))
    const [left] = parseLines(await later('data/executions.ndjson'))
    expect(left).toMatchObject({ input: kept.input, output: kept.output, error: kept.error, values: {} })
  })

  test('with a value that is too large for a line are listed, and the rest of the row is there', async () => {
    const tenant = await runtime.tenant()
    const pia = await officerOf(tenant)
    const { executionId } = await insertActivity(runtime, tenant, pia.principal.memberId, paid)
    const cipher = await runtime.database.inTenant(tenant.id, (tx) => tenantCipher(tx, tenant.id))
    const large = cipher.encryptJson('x'.repeat(4 * 1024 * 1024), contentContext('executions', [executionId], 'output'))
    await asOwner(runtime, 'update executions set output = $1 where id = $2', [large, executionId])
    const job = await runtime.make(tenant, pia, raw())
    expect(job).toMatchObject({
      status: 'completed_with_omissions',
      omissions: [{ resource: 'executions', id: executionId, reason: 'too_large' }],
    })
    const { text } = await runtime.extract('large', await fetchArchive(pia, job.exportId))
    const [row] = parseLines(await text('data/executions.ndjson'))
    expect(Object.keys(row.values)).toEqual(['input', 'error'])
    expect(row.output).toMatch(/^[\w-]{43}$/)
  })
})

describe('omissions', () => {
  test('list a span with an erased value, also without raw payloads', async () => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const id = await insertTrace(tenant, paid)
    await runtime.database.inTenant(tenant.id, (tx) =>
      eraseFrom(tx, tenant.id, 'grace@example.com', { erasureId: null, after: '' }),
    )
    const job = await runtime.make(tenant, auditor)
    expect(job).toMatchObject({ status: 'completed_with_omissions' })
    expect(job.omissions).toContainEqual({ resource: 'spans', id, reason: 'erased' })
  })

  test('say when the requester lost the permission to read raw payloads before a worker began', async () => {
    const tenant = await runtime.tenant()
    const pia = await officerOf(tenant)
    await insertActivity(runtime, tenant, pia.principal.memberId, paid)
    await asOwner(runtime, `update members set roles = '{auditor}' where id = $1`, [pia.principal.memberId])
    const job = await runtime.make(tenant, pia, raw())
    expect(job.status).toBe('completed_with_omissions')
    expect(job.omissions).toContainEqual({ resource: 'raw-payloads', reason: 'permission_denied' })
    const { text } = await runtime.extract('denied', await fetchArchive(pia, job.exportId))
    expect(JSON.parse(await text('manifest.json'))).toMatchObject({ options: { rawPayloads: false, masked: true } })
    expect(await text('manifest-sha256.txt')).not.toContain('data/raw/')
    expect(await text('data/executions.ndjson')).not.toContain('Grace')
  })
})

test('the manifest counts traces, and spans by themselves', async () => {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  await insertTrace(tenant, paid)
  await insertTrace(tenant, paid)
  const { exportId } = await runtime.make(tenant, auditor)
  const { text } = await runtime.extract('counts', await fetchArchive(auditor, exportId))
  const { counts } = JSON.parse(await text('manifest.json'))
  expect(counts).toMatchObject({ traces: 2, spans: 2, resources: 0, batches: 0 })
})
