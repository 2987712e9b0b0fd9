import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canonicalJson } from '#lib/jcs.ts'
import { runExport } from '#server/evidence/jobs/run-export.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { aroundNow, askForExport, auditorOf, exportRuntime, fetchArchive, readExport } from '#server/testing/exports.ts'
import { archiveResponse, download } from './download.ts'
import { getManifest, manifestResponse } from './get-manifest.ts'
import { listExportJobs } from './list-exports.ts'

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
})
afterAll(() => runtime.close())

describe('who may do what', () => {
  test('sees: one’s own with evidence:export, all with evidence:list; others don’t learn that it exists', async () => {
    const [tenant, other] = [await runtime.tenant(), await runtime.tenant()]
    const owner = await auditorOf(tenant)
    const exportId = await askForExport(owner)
    const reader = await tenant.as('reader', { roles: ['evidence:read'] })
    expect(await readExport(reader, exportId)).toEqual(await readExport(owner, exportId))
    const only = (
      caller: Caller,
      ...permissions: Parameters<typeof caller.principal.permissions.has>[0][]
    ): Caller => ({
      ...caller,
      principal: { ...caller.principal, permissions: new Set(permissions) },
    })
    expect((await readExport(only(owner, 'evidence:export'), exportId)).exportId).toBe(exportId)
    const colleague = await auditorOf(tenant, 'otto')
    const foreigner = await auditorOf(other)
    const unknown = { code: 'not_found', message: 'Not found.' }
    await expect(readExport(only(colleague, 'evidence:export'), exportId)).rejects.toMatchObject(unknown)
    await expect(readExport(foreigner, exportId)).rejects.toMatchObject(unknown)
    await expect(readExport(owner, newId())).rejects.toMatchObject(unknown)
    await expect(readExport(only(owner, 'evidence:read'), exportId)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(fetchArchive(foreigner, exportId)).rejects.toMatchObject(unknown)
    await expect(askForExport(reader)).rejects.toMatchObject({ code: 'forbidden' })

    const { items } = await execute(listExportJobs, reader, {}, { name: 'evidence.listExports' })
    expect(items.map((item) => item.exportId)).toEqual([exportId])
    expect((await execute(listExportJobs, foreigner, {}, { name: 'evidence.listExports' })).items).toEqual([])
  })

  test('raw payloads: refused, and recorded when the permission is missing', async () => {
    const tenant = await runtime.tenant()
    const auditor = await auditorOf(tenant)
    const privacy = await tenant.as('pia', { roles: ['auditor', 'privacy_officer'] })
    const input = { ...aroundNow(), includeRawPayloads: true }
    await expect(askForExport(auditor, input)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(askForExport(privacy, input)).rejects.toMatchObject({ code: 'bad_request' })
    await expect(askForExport(privacy, { ...input, justification: 'audit' })).rejects.toMatchObject({
      code: 'validation_failed',
    })
    expect(await runtime.actions(tenant, 'includeRawPayloads')).toEqual(
      Array.from({ length: 2 }, () => 'evidence_export.created.refused'),
    )
  })

  test.each([
    { startDate: '2026-01-02T00:00:00Z', endDate: '2026-01-01T00:00:00Z' },
    { startDate: '2026-01-01', endDate: '2026-01-02' },
    { startDate: '0000-01-01T00:00:00Z', endDate: '2026-01-02T00:00:00Z' },
    { startDate: '2026-01-01T00:00:00Z', endDate: '9999-12-31T23:59:59-14:00' },
    { startDate: '2026-01-01T00:00:00Z', endDate: '2026-01-02T00:00:00Z', other: 1 },
  ])('a period must make sense: %j', async (wrong) => {
    const tenant = await runtime.tenant()
    await expect(askForExport(await auditorOf(tenant), { ...wrong, includeProofs: true })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })
})

test('before it is completed there is neither manifest nor archive; afterwards exactly the sealed bytes', async () => {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  const exportId = await askForExport(auditor)
  const manifest = () => execute(getManifest, auditor, { exportId }, { name: 'evidence.getManifest' })
  await expect(manifest()).rejects.toMatchObject({ code: 'not_ready', status: 409 })
  await expect(fetchArchive(auditor, exportId)).rejects.toMatchObject({ code: 'not_ready' })
  await runExport(tenant.id, exportId)
  const response = manifestResponse(await manifest())
  const { manifestSha256, sha256 } = await readExport(auditor, exportId)
  expect(response.headers.get('etag')).toBe(`"sha256:${manifestSha256}"`)
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(manifestSha256)
  expect(bytes.toString()).toBe(canonicalJson(JSON.parse(bytes.toString())))

  const found = await execute(download, auditor, { exportId }, { name: 'evidence.download' })
  const { headers } = await archiveResponse(found, auditor)
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/zip',
    'content-length': String(found.bytes),
    'content-disposition': `attachment; filename="evidence-room-${exportId}.zip"`,
    etag: `"sha256:${sha256}"`,
  })
  await rm(runtime.archivePath(tenant, `${exportId}.zip`))
  await expect(archiveResponse(found, auditor)).rejects.toMatchObject({ code: 'unavailable', status: 503 })
})
