import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canonicalJson } from '#lib/jcs.ts'
import { parseCheckpoint, verifyNote } from '#server/audit/notes/signed-note.ts'
import { leafHash, treeRoot } from '#server/audit/tree/merkle.ts'
import { getManifest } from '#server/evidence/get-manifest.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { insertActivity } from '#server/testing/activity.ts'
import { aroundNow, auditorOf, exportRuntime, fetchArchive, parseLines } from '#server/testing/exports.ts'
import type { TestTenant } from '#server/testing/tenant.ts'
import { endSpan, startSpan, startTrace } from '#server/traces/recording/record.ts'

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
})
afterAll(() => runtime.close())

/** Creates a tenant with a trace that contains a masked value. */
async function tenantWithTrace(): Promise<{ tenant: TestTenant; auditor: Caller; traceId: string }> {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  const traceId = newTraceId()
  await runtime.database.inTenant(tenant.id, async (tx) => {
    const span = { traceId, spanId: newSpanId() }
    await startTrace(tx, tenant.id, { traceId, name: 'refund', startedAt: new Date() })
    const attributes = [{ key: 'email', value: { $masked: { class: 'pii.email', length: 17 } } }]
    await startSpan(tx, tenant.id, { ...span, name: 'tool', kind: 'tool', attributes, startedAt: new Date() })
    await endSpan(tx, tenant.id, { ...span, status: 'ok', attributes: [], endedAt: new Date() })
  })
  return { tenant, auditor, traceId }
}

describe('an export of today', () => {
  test('is verified by sha256sum, openssl and the hashes of its own records', async () => {
    const { tenant, auditor, traceId } = await tenantWithTrace()
    const job = await runtime.make(tenant, auditor)
    expect(job).toMatchObject({ status: 'completed', omissions: [], error: null })
    expect(await runtime.files(tenant)).toEqual([`${job.exportId}.zip`])
    const bytes = await fetchArchive(auditor, job.exportId)
    expect(bytes.length).toBe(job.archiveBytes)
    const { top } = await runtime.extract('good', bytes)
    const run = (command: string) => spawnSync('sh', ['-c', command], { cwd: top, encoding: 'utf8' })
    expect(run('sha256sum -c manifest-sha256.txt && sha256sum -c tagmanifest-sha256.txt').status).toBe(0)
    const openssl = run(
      'openssl pkeyutl -verify -pubin -inkey seal/seal.pub.pem -rawin -in manifest.json -sigfile seal/manifest.json.sig',
    )
    expect(openssl.stdout).toContain('Signature Verified Successfully')

    const text = (path: string) => readFile(join(top, path), 'utf8')
    const manifest = JSON.parse(await text('manifest.json'))
    const date = job.createdAt.slice(0, 10)
    expect(manifest).toMatchObject({
      type: 'evidence-room-bundle-v1',
      exportId: job.exportId,
      status: 'completed',
      tenant: { externalId: tenant.externalId },
      days: [{ date, open: true, checkpoint: `data/proofs/${date}.checkpoint` }],
      omissionCount: 0,
    })
    // The fourth step of the README: the signed manifest covers the list of payload files.
    const list = await readFile(join(top, 'manifest-sha256.txt'))
    expect(manifest.payloadManifestSha256).toBe(createHash('sha256').update(list).digest('hex'))

    // Leaves are derived from the records, and the root from the leaves, and the signed checkpoint contains the root.
    const records = parseLines(await text(`data/audit/${date}.ndjson`))
    const leaves = await readFile(join(top, `data/proofs/${date}.leaves`))
    expect(leaves.length).toBe(records.length * 32)
    for (const { leaf, nonce, record } of records) {
      const digest = createHash('sha256')
        .update('agcp.audit.record.v1\n')
        .update(Buffer.from(nonce, 'hex'))
        .update(canonicalJson(record))
        .digest('hex')
      expect(leaf).toMatchObject({ digest: `sha256:${digest}`, date, tenant: tenant.externalId, v: 1 })
      expect(leafHash(Buffer.from(canonicalJson(leaf)))).toEqual(leaves.subarray(leaf.seq * 32, leaf.seq * 32 + 32))
    }
    const note = verifyNote(await text(`data/proofs/${date}.checkpoint`), [(await text('data/keys/vkeys.txt')).trim()])
    const root = treeRoot(records.map((_, index) => leaves.subarray(index * 32, index * 32 + 32)))
    expect(note.ok && parseCheckpoint(note.text)).toMatchObject({ size: records.length, root })
    expect(manifest.days[0].root).toBe(root.toString('hex'))
    expect(records.at(-1).record.action).toBe('evidence_export.preflight')

    const spans = parseLines(await text(`data/traces/${date}.spans.ndjson`))
    expect(spans).toMatchObject([
      { traceId, attributes: [{ key: 'email', value: { $masked: { class: 'pii.email', length: 17 } } }] },
    ])
    const members = parseLines(await text('data/members.ndjson'))
    expect(members.map((member) => member.username)).toEqual(['vera'])
    expect(members[0]).not.toHaveProperty('email')
  })

  test('contains executions, decisions and approvals without the fields that the manifest marks as sensitive', async () => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const canary = 'grace.hopper@example.com'
    await insertActivity(runtime, tenant, auditor.principal.memberId, { email: canary })
    const job = await runtime.make(tenant, auditor)
    const { top } = await runtime.extract('activity', await fetchArchive(auditor, job.exportId))
    const contents = await Promise.all(
      ['executions', 'execution-events', 'decisions', 'approvals'].map((name) =>
        readFile(join(top, `data/${name}.ndjson`), 'utf8'),
      ),
    )
    const [execution, event, decision, approval] = contents.map((content) => parseLines(content)[0])
    const commitment = expect.stringMatching(/^[\w-]{43}$/)
    expect(execution).toMatchObject({ status: 'succeeded', input: commitment, output: commitment, error: commitment })
    expect(event).toMatchObject({
      seq: 1,
      type: 'execution.running',
      data: commitment,
      shown: { data: { release: 'sha256:1', input: { $masked: { class: 'input' } } } },
    })
    expect(decision).toMatchObject({
      effect: 'allow',
      inputDigest: expect.stringContaining('sha256:'),
      request: commitment,
    })
    expect(approval).toMatchObject({ status: 'approved', payload: commitment, presentation: commitment })
    for (const content of contents) expect(content).not.toContain(canary)
  })

  test('leaves an audit record for each step and each download', async () => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const { exportId } = await runtime.make(tenant, auditor)
    await fetchArchive(auditor, exportId)
    expect(await runtime.actions(tenant, exportId)).toEqual(
      ['created', 'preflight', 'collecting', 'sealing', 'verifying', 'completed', 'downloaded'].map(
        (step) => `evidence_export.${step}`,
      ),
    )
  })

  test('omits proofs when they are not requested, and contains only the records of its period', async () => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const from = new Date(Date.now() + 1)
    await expect.poll(() => Date.now() > from.getTime()).toBe(true)
    const job = await runtime.make(tenant, auditor, {
      ...aroundNow(),
      startDate: from.toISOString(),
      includeProofs: false,
    })
    const { top } = await runtime.extract('short', await fetchArchive(auditor, job.exportId))
    const manifest = JSON.parse(await readFile(join(top, 'manifest.json'), 'utf8'))
    expect(
      manifest.files.map((file: { path: string }) => file.path).filter((path: string) => /proofs/.test(path)),
    ).toEqual([])
    const records = parseLines(await readFile(join(top, `data/audit/${manifest.days[0].date}.ndjson`), 'utf8'))
    expect(records.map(({ record }) => record.action)).toEqual(['evidence_export.created', 'evidence_export.preflight'])
    expect(records[0].leaf.seq).toBeGreaterThan(0)
  })

  test.each([
    ['before the log begins', { startDate: '2001-01-01T00:00:00Z', endDate: '2001-02-01T00:00:00+02:00' }],
    ['in the future', { startDate: '2201-01-01T00:00:00Z', endDate: '2201-02-01T00:00:00Z' }],
  ])('of a period %s is refused with the bounds', async (_name, outside) => {
    const auditor = await auditorOf(await runtime.tenant())
    const today = new Date().toISOString().slice(0, 10)
    await expect(
      runtime.make(await runtime.tenant(), auditor, { ...outside, includeProofs: true }),
    ).rejects.toMatchObject({
      code: 'bad_request',
      details: { earliest: `${today}T00:00:00.000Z`, latest: expect.stringMatching(/Z$/) },
    })
  })

  test('of a period that reaches beyond the log is cut, and states both periods', async () => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const requested = { startDate: '2001-01-01T00:00:00.000Z', endDate: '2201-01-01T00:00:00.000Z' }
    const job = await runtime.make(tenant, auditor, { ...requested, includeProofs: true })
    expect(job.status).toBe('completed')
    const { bytes } = await execute(getManifest, auditor, { exportId: job.exportId }, { name: 'evidence.getManifest' })
    const manifest = JSON.parse(Buffer.from(bytes).toString())
    expect(manifest.requestedPeriod).toEqual({ start: requested.startDate, end: requested.endDate })
    expect(manifest.period.start).toBe(`${manifest.days[0].date}T00:00:00.000Z`)
    expect(Math.abs(Date.parse(manifest.period.end) - Date.parse(manifest.sealedAt))).toBeLessThan(60_000)
    // Every record that the newest head covers.
    expect(manifest.counts.audit).toBe(manifest.days.reduce((sum: number, day: { size: number }) => sum + day.size, 0))
  })
})
