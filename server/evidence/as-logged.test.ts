import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import {
  aroundNow,
  askForExport,
  auditorOf,
  exportRuntime,
  fetchArchive,
  parseLines,
  readExport,
} from '#server/testing/exports.ts'
import { asOwner } from '#server/testing/owner.ts'
import type { TestTenant } from '#server/testing/tenant.ts'
import { getManifest } from './get-manifest.ts'
import { runExport } from './jobs/run-export.ts'

// A job is what its records say: with SQL alone, another archive can’t be made, nor one shown as what it is not.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
})
afterAll(() => runtime.close())

type Scene = { tenant: TestTenant; auditor: Caller; exportId: string }

async function asked(): Promise<Scene> {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  await runtime.bindRows(tenant)
  return { tenant, auditor, exportId: await askForExport(auditor, { ...aroundNow(), purpose: 'Annual audit' }) }
}
async function made(): Promise<Scene> {
  const scene = await asked()
  await runExport(scene.tenant.id, scene.exportId)
  expect(await readExport(scene.auditor, scene.exportId)).toMatchObject({ status: 'completed' })
  return scene
}

const bySql = ({ tenant, exportId }: Scene, set: string) =>
  asOwner(runtime, `update evidence_exports set ${set} where tenant_id = '${tenant.id}' and id = '${exportId}'`)

const alarmsOf = async ({ tenant }: Scene) =>
  await runtime.database.inTenant(tenant.id, (tx) =>
    tx.selectFrom('alarms').select(['kind', 'subject', 'reason']).where('tenantId', '=', tenant.id).execute(),
  )

const refusal = (reason: string) => ({ code: 'integrity_failed', message: expect.stringContaining(reason) })

describe('a job that waits', () => {
  test.each([
    [
      'requested_by',
      `requested_by = (select id from members where tenant_id = evidence_exports.tenant_id and id <> requested_by limit 1)`,
      'Its requestedBy',
    ],
    ['the period', `start_at = start_at - interval '1 day'`, 'Its startDate'],
    ['its end', `end_at = end_at + interval '1 day'`, 'Its endDate'],
    ['proofs', 'include_proofs = false', 'Its includeProofs'],
    ['raw payloads', 'include_raw_payloads = true', 'Its includeRawPayloads'],
    ['the scope', `scope = '{"agentId": "${newId()}"}'`, 'Its scope'],
    ['the purpose', `purpose = 'Nothing'`, 'Its purpose'],
    ['the time', `created_at = created_at - interval '1 hour'`, 'Its createdAt'],
  ])('fails, and raises an alarm, when SQL has changed %s', async (_what, set, reason) => {
    const scene = await asked()
    await scene.tenant.as('jonas', { roles: ['auditor'] })
    await bySql(scene, set)
    await runExport(scene.tenant.id, scene.exportId)
    await expect(readExport(scene.auditor, scene.exportId)).rejects.toMatchObject(refusal(reason))
    expect(await alarmsOf(scene)).toContainEqual(
      expect.objectContaining({ kind: 'export', subject: scene.exportId, reason: expect.stringContaining(reason) }),
    )
    expect(await runtime.files(scene.tenant)).toEqual([])
  })

  test('fails when SQL has renamed the organisation', async () => {
    const scene = await asked()
    await asOwner(runtime, `update tenants set name = 'Another' where id = '${scene.tenant.id}'`)
    await runExport(scene.tenant.id, scene.exportId)
    expect(await readExport(scene.auditor, scene.exportId)).toMatchObject({
      status: 'failed',
      error: refusal('Its name is not the one'),
    })
  })

  test('does not exist for the service when SQL has inserted it', async () => {
    const scene = await asked()
    const forged = { ...scene, exportId: newId() }
    await asOwner(
      runtime,
      `insert into evidence_exports (tenant_id, id, status, start_at, end_at, include_proofs, include_raw_payloads,
         requested_by, purpose)
       select tenant_id, '${forged.exportId}', status, start_at, end_at, include_proofs, include_raw_payloads,
         requested_by, purpose from evidence_exports where id = '${scene.exportId}'`,
    )
    await runExport(scene.tenant.id, forged.exportId)
    await expect(readExport(scene.auditor, forged.exportId)).rejects.toMatchObject(refusal('does not exist'))
    expect(await runtime.files(scene.tenant)).toEqual([])
  })
})

describe('an archive', () => {
  test.each([
    ['raw payloads', 'include_raw_payloads = true', 'Its includeRawPayloads'],
    ['the status', `status = 'completed_with_omissions'`, 'the newest record says completed'],
    ['the digest of the manifest', `manifest_sha256 = repeat('0', 64)`, 'Its manifest'],
    [
      'the manifest',
      `manifest = convert_to(replace(convert_from(manifest, 'UTF8'), '"masked":true', '"masked":false'), 'UTF8')`,
      'Its manifest',
    ],
    [
      'the manifest and its digest',
      `manifest = '\\x00ff', manifest_sha256 = encode(sha256('\\x00ff'), 'hex')`,
      'Its manifest',
    ],
    ['the name', `archive_name = 'another.zip'`, 'Its archive'],
    ['the end', `ended_at = ended_at + interval '1 year'`, 'Its endedAt'],
    ['the digest of the archive', `archive_sha256 = repeat('0', 64)`, 'Its archive'],
    ['the size', 'archive_bytes = archive_bytes - 1', 'Its archive'],
    ['the error', `error = '{"code": "x", "message": "x"}'`, 'Its error'],
  ])('is neither shown nor downloaded when SQL has changed %s', async (_what, set, reason) => {
    const scene = await made()
    await bySql(scene, set)
    const { auditor, exportId } = scene
    await expect(readExport(auditor, exportId)).rejects.toMatchObject(refusal(reason))
    await expect(fetchArchive(auditor, exportId)).rejects.toMatchObject(refusal(reason))
    const manifest = execute(getManifest, auditor, { exportId }, { name: 'evidence.getManifest' })
    await expect(manifest).rejects.toMatchObject(refusal(reason))
  })

  test.each([
    ['changed its manifest', `manifest = convert_to(replace(convert_from(manifest, 'UTF8'), '1.0', '1.1'), 'UTF8')`],
    ['hidden its manifest', 'manifest = null, manifest_sha256 = null'],
    ['replaced its manifest', `manifest = '\\x00ff', manifest_sha256 = encode(sha256('\\x00ff'), 'hex')`],
  ])('stops the next export when SQL has %s', async (_what, set) => {
    const scene = await made()
    await bySql(scene, set)
    const next = await runtime.make(scene.tenant, scene.auditor)
    expect(next).toMatchObject({ status: 'failed', error: refusal('Its manifest') })
    const alarms = (await alarmsOf(scene)).filter(({ kind }) => kind !== 'object')
    expect(alarms).toMatchObject([{ kind: 'export', subject: next.exportId }])
  })

  test('stops the next export when SQL has deleted its job', async () => {
    const scene = await made()
    await asOwner(runtime, `delete from evidence_exports where id = '${scene.exportId}'`)
    expect(await runtime.make(scene.tenant, scene.auditor)).toMatchObject({
      status: 'failed',
      error: refusal('It was deleted.'),
    })
  })

  test('says which part of the period it covers, and its omissions from the sealed manifest', async () => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    await runtime.bindRows(tenant)
    const asked = { ...aroundNow(), startDate: '2020-01-01T00:00:00Z', endDate: '2120-01-01T00:00:00Z' }
    const job = await runtime.make(tenant, auditor, asked)
    await bySql({ tenant, auditor, exportId: job.exportId }, `omissions = '[]'`)
    const { covers, omissions } = await readExport(auditor, job.exportId)
    const { text } = await runtime.extract(job.exportId, await fetchArchive(auditor, job.exportId))
    const { period, omissions: sealed } = JSON.parse(await text('manifest.json'))
    expect(covers).toEqual({ startDate: period.start, endDate: period.end })
    expect(period.start).toBe(`${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`)
    expect(omissions).toEqual(sealed)
    expect(parseLines(await text('data/omissions.ndjson'))).toEqual(sealed)
  })
})

// The last test: it changes the table for all of them.
test('a job is not what the record of another one says', async () => {
  const { tenant, auditor, exportId } = await asked()
  const other = await askForExport(auditor, { ...aroundNow(), purpose: 'Annual audit' })
  await asOwner(runtime, 'alter table audit_records alter column resource_id drop expression')
  const move = (from: string, to: string) =>
    asOwner(
      runtime,
      `update audit_records set resource_id = '${to}'
       where tenant_id = '${tenant.id}' and resource_id = '${from}' and type = 'evidence_export.created'`,
    )
  await move(exportId, 'nothing')
  await move(other, exportId)
  await expect(readExport(auditor, exportId)).rejects.toMatchObject(refusal('is about another object'))
})
