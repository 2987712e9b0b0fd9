import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TenantSettings } from '#lib/schemas/tenants.ts'
import { newId, newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { createErasure } from '#server/privacy/create-erasure.ts'
import { createHold } from '#server/privacy/create-hold.ts'
import { erasures } from '#server/privacy/jobs.ts'
import { listAllErasures } from '#server/privacy/list-erasures.ts'
import { releaseHold } from '#server/privacy/release-hold.ts'
import { insertHold } from '#server/privacy/store.ts'
import { aroundNow, auditorOf, exportRuntime, fetchArchive, readExport } from '#server/testing/exports.ts'
import { asOwner, connectAsOwner } from '#server/testing/owner.ts'
import type { TestTenant } from '#server/testing/tenant.ts'
import { endSpan, startSpan, startTrace } from '#server/traces/recording/record.ts'
import { purgeArchives } from './purge-archives.ts'

// How archives end: by the tenant's retention, by an erasure, and not while a legal hold protects them.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
  // The tests run each erasure themselves.
  await runtime.queue.work([{ ...erasures, run: () => Promise.resolve() }])
})
afterAll(() => runtime.close())

const inDays = (days: number) => Date.now() + days * 86_400_000
const today = () => new Date().toISOString().slice(0, 10)

async function tenantWith(settings: Partial<TenantSettings>): Promise<TestTenant> {
  const tenant = await runtime.tenant()
  await asOwner(runtime, `update tenants set settings = $1 where id = '${tenant.id}'`, [JSON.stringify(settings)])
  return { ...tenant, settings }
}

async function hold(tenant: TestTenant): Promise<() => Promise<unknown>> {
  const vera = await auditorOf(tenant)
  const reason = 'The supervisory authority asked for it.'
  const { holdId } = await execute(createHold, vera, { from: today(), to: today(), reason }, { name: 'holds.create' })
  return () => execute(releaseHold, vera, { id: holdId, expectedRevision: 1, reason }, { name: 'holds.release' })
}

/** Begins to place a hold, does `work`, and commits the hold once `work` waits or has ended. */
async function placedDuring(tenant: TestTenant, work: () => Promise<void>): Promise<void> {
  const vera = await auditorOf(tenant)
  const [placed, committing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = runtime.database.inTenant(tenant.id, async (tx) => {
    await insertHold(tx, {
      ...{ tenantId: tenant.id, id: newId(), traceId: null, fromDay: today(), toDay: today() },
      ...{ reason: 'Another authority asked for it.', createdBy: vera.principal.memberId },
    })
    placed.resolve()
    await committing.promise
  })
  await placed.promise
  const owner = await connectAsOwner(runtime)
  try {
    let ended = false
    const working = work().finally(() => {
      ended = true
    })
    await expect
      .poll(async () => {
        const { rows } = await owner.query(`select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`)
        return ended ? 'ended' : rows.length > 0 ? 'waits' : 'works'
      })
      .toMatch(/ended|waits/)
    committing.resolve()
    await Promise.all([holding, working])
  } finally {
    committing.resolve()
    await owner.end()
  }
}

describe('the tenant’s retention of archives', () => {
  test('deletes an archive when its time has come: 410 with the reason, and the job and its digests stay', async () => {
    const tenant = await tenantWith({ archiveRetentionDays: 30 })
    const auditor = await auditorOf(tenant)
    auditor.tenant.settings = tenant.settings
    const made = await runtime.make(tenant, auditor)
    expect(Date.parse(made.expiresAt ?? '') - Date.parse(made.endedAt ?? '')).toBe(30 * 86_400_000)
    await purgeArchives(tenant.id, inDays(29))
    expect(await runtime.files(tenant)).toEqual([`${made.exportId}.zip`])
    await purgeArchives(tenant.id, inDays(31))
    expect(await runtime.files(tenant)).toEqual([])
    const job = await readExport(auditor, made.exportId)
    expect(job).toMatchObject({
      status: 'completed',
      archiveGone: { reason: 'retention_expired' },
      expiresAt: null,
      sha256: made.sha256,
      manifestSha256: made.manifestSha256,
    })
    await expect(fetchArchive(auditor, made.exportId)).rejects.toMatchObject({
      code: 'gone',
      details: { reason: 'retention_expired' },
    })
    await purgeArchives(tenant.id, inDays(31))
    const deleted = (await runtime.actions(tenant, made.exportId)).filter((one) => one.endsWith('.archive_deleted'))
    expect(deleted).toHaveLength(1)
  })

  test('waits for the end of a legal hold on a day of the period', async () => {
    const tenant = await tenantWith({ archiveRetentionDays: 30 })
    const auditor = await auditorOf(tenant)
    const { exportId } = await runtime.make(tenant, auditor)
    const release = await hold(tenant)
    await purgeArchives(tenant.id, inDays(31))
    expect((await fetchArchive(auditor, exportId)).length).toBeGreaterThan(0)
    await release()
    await purgeArchives(tenant.id, inDays(31))
    await expect(fetchArchive(auditor, exportId)).rejects.toMatchObject({ code: 'gone' })
  })

  test('keeps an archive on which a hold is being placed', async () => {
    const tenant = await tenantWith({ archiveRetentionDays: 30 })
    const auditor = await auditorOf(tenant)
    const { exportId } = await runtime.make(tenant, auditor)
    await placedDuring(tenant, () => purgeArchives(tenant.id, inDays(31)))
    expect((await fetchArchive(auditor, exportId)).length).toBeGreaterThan(0)
  })

  test('removes what an export that ended left in the folder where archives are made', async () => {
    const tenant = await tenantWith({})
    const { exportId } = await runtime.make(tenant, await auditorOf(tenant))
    await asOwner(runtime, `update evidence_exports set archive_name = null where id = '${exportId}'`)
    await purgeArchives(tenant.id, Date.now())
    expect(await runtime.files(tenant)).toEqual([])
  })
})

describe('an erasure', () => {
  const subject = 'grace.hopper@example.com'

  /** An archive with the subject, one without it, and the erasure, which has not run. */
  async function archivesOf(tenant: TestTenant) {
    const pia = await tenant.as('pia', { roles: ['auditor', 'privacy_officer'] })
    const justification = 'The supervisory authority asks for the conversations.'
    await runtime.database.inTenant(tenant.id, async (tx) => {
      const span = { traceId: newTraceId(), spanId: newSpanId() }
      const attributes = [{ key: 'email', value: `Write to ${subject.toUpperCase()}.`, class: 'pii.email' }]
      await startTrace(tx, tenant.id, { traceId: span.traceId, name: 'refund', startedAt: new Date() })
      await startSpan(tx, tenant.id, { ...span, name: 'tool', kind: 'tool', attributes, startedAt: new Date() })
      await endSpan(tx, tenant.id, { ...span, status: 'ok', attributes: [], endedAt: new Date() })
    })
    const raw = await runtime.make(tenant, pia, { ...aroundNow(), includeRawPayloads: true, justification })
    const masked = await runtime.make(tenant, pia)
    const { erasureId } = await execute(createErasure, pia, { subject, reason: 'Request 17.' }, { name: 'x' })
    const listed = async () => {
      const { items } = await execute(listAllErasures, pia, { limit: 50 }, { name: 'erasures.list' })
      return items.find(({ id }) => id === erasureId)
    }
    return { pia, raw, masked, erasureId, listed, run: () => erasures.run({ tenantId: tenant.id, id: erasureId }, 0) }
  }

  test('marks and lists the archives that contain the subject', async () => {
    const tenant = await tenantWith({})
    const { pia, raw, masked, erasureId, listed, run } = await archivesOf(tenant)
    await run()
    expect(await listed()).toMatchObject({
      status: 'completed',
      archives: [{ exportId: raw.exportId, outcome: 'marked' }],
    })
    expect(await readExport(pia, raw.exportId)).toMatchObject({ containsErased: [erasureId], archiveGone: null })
    expect(await readExport(pia, masked.exportId)).toMatchObject({ containsErased: [] })
    expect(await runtime.actions(tenant, raw.exportId)).toContain('evidence_export.contains_erased')
  })

  test('deletes them where the tenant has chosen that, and only after the hold on them has ended', async () => {
    const tenant = await tenantWith({ archivesOnErasure: 'delete' })
    const release = await hold(tenant)
    const held = await archivesOf(tenant)
    await held.run()
    expect(await held.listed()).toMatchObject({ archives: [{ exportId: held.raw.exportId, outcome: 'held' }] })
    expect((await fetchArchive(held.pia, held.raw.exportId)).length).toBe(held.raw.archiveBytes)
    await release()
    await purgeArchives(tenant.id, Date.now())
    expect(await held.listed()).toMatchObject({ archives: [{ exportId: held.raw.exportId, outcome: 'deleted' }] })
    await expect(fetchArchive(held.pia, held.raw.exportId)).rejects.toMatchObject({
      code: 'gone',
      details: { reason: 'erased' },
    })
    expect(await runtime.files(tenant)).toEqual([`${held.masked.exportId}.zip`])
  })

  test('keeps an archive whose hold was released, and on which another one is being placed', async () => {
    const tenant = await tenantWith({ archivesOnErasure: 'delete' })
    const release = await hold(tenant)
    const { pia, raw, listed, run } = await archivesOf(tenant)
    await run()
    await release()
    await placedDuring(tenant, () => purgeArchives(tenant.id, Date.now()))
    expect(await listed()).toMatchObject({ archives: [{ exportId: raw.exportId, outcome: 'held' }] })
    expect((await fetchArchive(pia, raw.exportId)).length).toBe(raw.archiveBytes)
  })

  test.each(['preflight', 'collecting', 'sealing', 'verifying'])(
    'waits for an archive that is being made: %s',
    async (status) => {
      const tenant = await tenantWith({})
      const { masked, listed, run } = await archivesOf(tenant)
      const underWay = newId()
      await asOwner(
        runtime,
        `insert into evidence_exports (tenant_id, id, status, start_at, end_at, include_proofs, include_raw_payloads,
         requested_by) select tenant_id, '${underWay}', '${status}', start_at, end_at, true, true, requested_by
       from evidence_exports where id = '${masked.exportId}'`,
      )
      await run()
      expect((await listed())?.status).toBe('pending')
      await asOwner(
        runtime,
        `update evidence_exports set status = 'canceled', ended_at = now() where id = '${underWay}'`,
      )
      await run()
      expect((await listed())?.status).toBe('completed')
    },
  )
})
