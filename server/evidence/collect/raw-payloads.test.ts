import { basename } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#lib/json.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { aroundNow, auditorOf, exportRuntime, fetchArchive, parseLines } from '#server/testing/exports.ts'
import { readArchiveFiles } from '#server/testing/extract.ts'
import { packArchive, resealed } from '#server/testing/forged-archive.ts'
import { asOwner } from '#server/testing/owner.ts'
import type { TestTenant } from '#server/testing/tenant.ts'
import { commitment } from '#server/traces/encryption/encrypt-span.ts'
import { endSpan, startSpan, startTrace } from '#server/traces/recording/record.ts'
import { eraseFrom } from '#server/traces/retention/erase.ts'

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
})
afterAll(() => runtime.close())

const justification = 'The supervisory authority asks for the conversations of case 4711.'
const raw = () => ({ ...aroundNow(), includeRawPayloads: true, justification })
const date = () => new Date().toISOString().slice(0, 10)

/** Creates a tenant with one span for each of the sensitive values. */
async function tenantWith(...values: string[]): Promise<{ tenant: TestTenant; pia: Caller; spans: string[] }> {
  const tenant = await runtime.tenant()
  const traceId = newTraceId()
  const spans = values.map(() => newSpanId())
  await runtime.database.inTenant(tenant.id, async (tx) => {
    await startTrace(tx, tenant.id, { traceId, name: 'refund', startedAt: new Date() })
    for (const [index, value] of values.entries()) {
      const span = { traceId, spanId: spans[index] ?? '' }
      const attributes = [
        { key: 'email', value, class: 'pii.email' },
        { key: 'tries', value: 3 },
      ]
      await startSpan(tx, tenant.id, { ...span, name: 'tool', kind: 'tool', attributes, startedAt: new Date() })
      await endSpan(tx, tenant.id, { ...span, status: 'ok', attributes: [], endedAt: new Date() })
    }
  })
  const pia = await tenant.as('pia', { roles: ['auditor', 'privacy_officer'] })
  return { tenant, pia, spans: spans.map((spanId) => `${traceId}/${spanId}`) }
}

test('an archive contains sensitive values with their proofs only when raw payloads were requested', async () => {
  const { tenant, pia } = await tenantWith('grace@example.com', 'ada@example.com')
  const job = await runtime.make(tenant, pia, raw())
  expect(job).toMatchObject({ status: 'completed', includeRawPayloads: true, omissions: [] })
  const { text } = await runtime.extract('raw', await fetchArchive(pia, job.exportId))
  const values = parseLines(await text(`data/raw/${date()}.values.ndjson`))
  expect(values).toMatchObject([
    { key: 'email', value: 'grace@example.com' },
    { key: 'email', value: 'ada@example.com' },
  ])
  const spans = parseLines(await text(`data/traces/${date()}.spans.ndjson`))
  for (const [index, { salt, value, commitment: logged }] of values.entries()) {
    expect(commitment([salt, value])).toBe(logged)
    expect(spans[index].attributes[0]).toMatchObject({ masked: { class: 'pii.email' }, sd: logged })
  }
  expect(JSON.parse(await text('manifest.json'))).toMatchObject({ options: { rawPayloads: true, masked: false } })

  const masked = await runtime.make(tenant, pia)
  const { text: other } = await runtime.extract('masked', await fetchArchive(pia, masked.exportId))
  expect(await other('manifest-sha256.txt')).not.toContain('data/raw/')
  expect(await other(`data/traces/${date()}.spans.ndjson`)).not.toContain('@example.com')
})

test('requester and reason are recorded, and only a member with evidence:raw can download the archive', async () => {
  const { tenant, pia } = await tenantWith('grace@example.com')
  const job = await runtime.make(tenant, pia, raw())
  expect(await runtime.actions(tenant, justification)).toEqual(['evidence_export.raw_payloads_requested'])
  const vera = await auditorOf(tenant)
  await expect(fetchArchive(vera, job.exportId)).rejects.toMatchObject({ code: 'forbidden' })
  expect(await runtime.actions(tenant, 'evidence_export.downloaded.refused')).toHaveLength(1)
  expect((await fetchArchive(pia, job.exportId)).length).toBe(job.archiveBytes)
})

test('an erased or changed value is left out, and the archive lists the omission', async () => {
  const { tenant, pia, spans } = await tenantWith('grace@example.com', 'ada@example.com', 'joan@example.com')
  await runtime.database.inTenant(tenant.id, (tx) =>
    eraseFrom(tx, tenant.id, 'grace@example.com', { erasureId: null, after: '' }),
  )
  const [, changed = ''] = spans[1]?.split('/') ?? []
  await asOwner(
    runtime,
    `update spans set sealed = array[set_byte(sealed[1], octet_length(sealed[1]) - 1,
       get_byte(sealed[1], octet_length(sealed[1]) - 1) # 1)] where span_id = '${changed}'`,
  )
  const job = await runtime.make(tenant, pia, raw())
  const omissions = [
    { resource: 'spans', id: spans[0], reason: 'erased' },
    { resource: 'spans', id: spans[1], reason: 'integrity_failed' },
  ]
  expect(job).toMatchObject({ status: 'completed_with_omissions', omissions })
  const { text } = await runtime.extract('omissions', await fetchArchive(pia, job.exportId))
  expect(parseLines(await text('data/omissions.ndjson'))).toEqual(omissions)
  expect(JSON.parse(await text('manifest.json'))).toMatchObject({ omissions, omissionCount: 2 })
  expect(parseLines(await text(`data/raw/${date()}.values.ndjson`))).toMatchObject([{ value: 'joan@example.com' }])
})

test('a job has the first hundred omissions, whole kinds before single objects, and its manifest counts all', async () => {
  const { tenant, pia } = await tenantWith('ada@example.com', ...Array.from({ length: 101 }, () => 'grace@example.com'))
  await runtime.database.inTenant(tenant.id, (tx) =>
    eraseFrom(tx, tenant.id, 'grace@example.com', { erasureId: null, after: '' }),
  )
  const job = await runtime.make(tenant, pia)
  expect(job.omissions).toHaveLength(100)
  expect(job.omissions[0]).toMatchObject({ reason: 'masked' })
  const { text } = await runtime.extract('many', await fetchArchive(pia, job.exportId))
  const all = parseLines(await text('data/omissions.ndjson'))
  expect(all.length).toBeGreaterThan(101)
  expect(JSON.parse(await text('manifest.json'))).toMatchObject({ omissionCount: all.length })
})

describe('the unmasked values in an archive', () => {
  const file = () => `data/raw/${date()}.values.ndjson`
  let files: ReadonlyMap<string, Buffer>
  let folder: string
  beforeAll(async () => {
    const { tenant, pia } = await tenantWith('grace@example.com', 'ada@example.com')
    expect(await adoptTenant(tenant.id)).toBe(true)
    const { exportId } = await runtime.make(tenant, pia, raw())
    const { top } = await runtime.extract('values', await fetchArchive(pia, exportId))
    files = await readArchiveFiles(top)
    folder = basename(top)
  })
  const checked = async (change: (values: JsonObject[]) => JsonObject[]) => {
    const changed = resealed(files, {
      files: (all) => {
        const values = parseLines(String(all.get(file())))
        const lines = change(values).map((one) => `${JSON.stringify(one)}\n`)
        all.set(file(), Buffer.from(lines.join('')))
      },
    })
    const { checks } = await verifyArchive(new Blob([new Uint8Array(await packArchive(folder, changed))]))
    return checks.find(({ name }) => name === 'Unmasked values')
  }
  const each = (more: JsonObject) => (values: JsonObject[]) => values.map((one) => ({ ...one, ...more }))

  test('are the ones that their spans commit to', async () => {
    expect(await checked((values) => values)).toMatchObject({
      verdict: 'log',
      state: 'holds',
      detail: 'All 2 unmasked values are the ones that their spans and resources commit to.',
    })
  })

  test.each<[string, (values: JsonObject[]) => JsonObject[]]>([
    ['changed', each({ value: 'eve@example.com' })],
    ['under another salt', each({ salt: 'A'.repeat(43) })],
    ['under another key', each({ key: 'phone' })],
    ['of a span that does not exist', each({ spanId: '0'.repeat(16) })],
    ['of another span', ([one, other]) => [{ ...one, spanId: other?.spanId ?? null }]],
    ['under the commitment of another', ([one, other]) => [{ ...one, commitment: other?.commitment ?? null }]],
  ])('fail the log when one is %s', async (_what, change) => {
    expect(await checked(change)).toMatchObject({ verdict: 'log', state: 'fails' })
  })
})

test('values of spans that are older than their binding are only sealed, which the verifier says', async () => {
  const { tenant, pia } = await tenantWith('grace@example.com')
  const { exportId } = await runtime.make(tenant, pia, raw())
  const { checks } = await verifyArchive(new Blob([new Uint8Array(await fetchArchive(pia, exportId))]))
  expect(checks.find(({ name }) => name === 'Unmasked values')).toMatchObject({ state: 'not checked' })
})
