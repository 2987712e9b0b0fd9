import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ChangeKind, changeKinds, changesIn } from '#lib/tamper/changes.ts'
import { type Effort, forged } from '#lib/tamper/forge.ts'
import { repacked } from '#lib/tamper/repack.ts'
import { ladderIn } from '#lib/verify/ladder.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { auditorOf, exportRuntime, fetchArchive } from '#server/testing/exports.ts'

// What the console's demo does with a copy of an archive, on a real one.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
let archive: Blob
let fingerprint: string
beforeAll(async () => {
  runtime = await exportRuntime()
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  await runtime.database.inTenant(tenant.id, (tx) =>
    appendAudit(tx, tenant, {
      actor: systemActor,
      action: 'test.noted',
      resource: { type: 'test', id: 'A-1003' },
      reason: 'Checked with the customer, the parcel is lost.',
      details: { amount: '420.00' },
    }),
  )
  await runtime.bindRows(tenant)
  const job = await runtime.make(tenant, auditor)
  archive = new Blob([new Uint8Array(await fetchArchive(auditor, job.exportId))])
  fingerprint = (await verifyArchive(archive)).fingerprint ?? ''
})
afterAll(() => runtime.close())

async function copyOf(kind: ChangeKind, effort: Effort): Promise<Blob> {
  const change = (await changesIn(archive)).find((one) => one.kind === kind)
  if (change === undefined) throw new Error(`The archive allows no change of the ${kind}.`)
  return await forged(archive, new Map([[change.path, change.content]]), effort)
}

describe('a copy of an archive', () => {
  test('that is packed again without a change has the same verdicts', async () => {
    const before = await verifyArchive(archive, { fingerprint })
    const after = await verifyArchive(await repacked(archive, new Map()), { fingerprint })
    expect(after.verdicts).toEqual(before.verdicts)
    expect(before.verdicts).toMatchObject({ integrity: 'holds', origin: 'holds', completeness: 'holds' })
    expect((await verifyArchive(await forged(archive, new Map(), 'lists'), { fingerprint })).verdicts).toEqual(
      before.verdicts,
    )
  })

  test('offers a reason, an amount, a record and the signature to change, and names what becomes of them', async () => {
    const changes = await changesIn(archive)
    expect(changes.map(({ kind }) => kind)).toEqual([...changeKinds])
    expect(changes[0]).toMatchObject({
      before: 'Checked with the customer, the parcel is lost.',
      after: 'Checked with the customer, the parcel is losu.',
    })
    expect(changes[1]).toMatchObject({ before: '420.00', after: '520.00' })
    expect(changes[2]?.after).toBeUndefined()
  })

  const content: ChangeKind[] = ['reason', 'amount', 'record']
  test.each(content)('with another %s fails in integrity and in the log', async (kind) => {
    const { verdicts } = await verifyArchive(await copyOf(kind, 'change'), { fingerprint })
    expect(verdicts).toMatchObject({ integrity: 'fails', origin: 'holds', log: 'fails' })
  })

  test.each(content)('with another %s and its lists made again fails at the signature', async (kind) => {
    const report = await verifyArchive(await copyOf(kind, 'lists'), { fingerprint })
    expect(report.checks.filter(({ state }) => state === 'fails')).toMatchObject([{ name: 'Seal' }])
    expect(report.about?.sealed).toBe(false)
  })

  test.each(content)(
    'with another %s, signed again, has the bytes that were sealed, and fails elsewhere',
    async (kind) => {
      const { verdicts } = await verifyArchive(await copyOf(kind, 'signatures'), { fingerprint })
      expect(verdicts).toMatchObject({ integrity: 'holds', origin: 'fails', log: 'fails' })
    },
  )

  test('with another signature fails in integrity', async () => {
    const { verdicts } = await verifyArchive(await copyOf('signature', 'change'), { fingerprint })
    expect(verdicts).toMatchObject({ integrity: 'fails' })
  })

  test('leads from each record to the signed root, and from a changed one to another root', async () => {
    const original = await ladderIn(archive, 'test.noted')
    expect(original).toMatchObject({ action: 'test.noted' })
    expect(original?.ladder.root).toBe(original?.root)
    expect(original?.size).toBeGreaterThan(1)
    const changed = await ladderIn(await copyOf('reason', 'signatures'), 'test.noted')
    expect(changed).toMatchObject({ auditId: original?.auditId, root: original?.root })
    expect(changed?.ladder.root).not.toBe(changed?.root)
    const newest = await ladderIn(archive)
    expect(newest?.ladder.root).toBe(newest?.root)
  })
})
