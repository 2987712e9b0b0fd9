import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyArchive } from '#lib/verify/verify.ts'
import { create } from '#server/agents/create.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { askForExport, auditorOf, exportRuntime, fetchArchive, readExport } from '#server/testing/exports.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { runExport } from './jobs/run-export.ts'

// The last step of an export is to verify the archive; what fails is not published.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
})
afterAll(() => runtime.close())

const manifest = JSON.stringify({
  metadata: { name: 'sorter' },
  spec: { risk: { tier: 'low' }, runtime: { steps: [] } },
})

async function withAgent() {
  const tenant = await runtime.tenant()
  const developer = await tenant.as('dora', { roles: ['developer'] })
  const made = await execute(create, developer, { yaml: manifest }, { name: 'agents.create' })
  return { tenant, auditor: await auditorOf(tenant), agentId: made.agentId }
}

test('an archive that lacks a row that the log demands is not published: the job fails, names it, and raises the alarm', async () => {
  const { tenant, auditor, agentId } = await withAgent()
  const exportId = await askForExport(auditor)
  const owner = await connectAsOwner(runtime)
  await owner.query('set session_replication_role = replica')
  await owner.query('delete from agents where id = $1', [agentId])
  await owner.end()
  await runExport(tenant.id, exportId)
  const job = await readExport(auditor, exportId)
  expect(job).toMatchObject({ status: 'failed', archiveName: null, error: { code: 'integrity_failed' } })
  expect(job.error?.message).toContain(`The log says that ${agentId} was created, but data/agents.ndjson`)
  expect(await runtime.files(tenant)).toEqual([])
  expect(await runtime.actions(tenant, exportId)).toContain('alarm.raised')
})

test('a file that expired unused is listed as left out, so that archives of the day on which it was stored still verify', async () => {
  const { tenant, auditor } = await withAgent()
  const file = { type: 'file', id: newId() }
  await runtime.database.inTenant(tenant.id, async (tx) => {
    for (const action of ['file.stored', 'file.expired'])
      await appendAudit(tx, tenant, { actor: systemActor, action, resource: file })
  })
  const job = await runtime.make(tenant, auditor)
  expect(job).toMatchObject({ error: null, status: 'completed_with_omissions' })
  expect(job.omissions).toContainEqual({ resource: 'files', id: file.id, reason: 'retention_expired' })
})

test('archives form a chain: each continues the one before it, and the later one shows that the earlier is current', async () => {
  const { tenant, auditor } = await withAgent()
  const blobs: Blob[] = []
  const ids: string[] = []
  for (let index = 0; index < 3; index++) {
    const job = await runtime.make(tenant, auditor)
    expect(job.status).toBe('completed')
    ids.push(job.exportId)
    blobs.push(new Blob([new Uint8Array(await fetchArchive(auditor, job.exportId))]))
  }
  const [first = new Blob(), second = new Blob(), third = new Blob()] = blobs
  const found = async (archive: Blob, adjacent: Blob) =>
    (await verifyArchive(archive, { adjacent })).checks.filter(({ verdict }) => verdict === 'freshness')
  expect(await found(first, second)).toMatchObject([
    { state: 'holds', detail: `The later archive ${ids[1]} continues this one.` },
    { state: 'holds' },
  ])
  expect(await found(second, first)).toMatchObject([
    { state: 'holds', detail: `It continues the archive ${ids[0]}, which you gave.` },
    { state: 'not checked' },
  ])
  expect(await found(first, third)).toMatchObject([{ state: 'not checked' }, { state: 'not checked' }])
  const other = await withAgent()
  const job = await runtime.make(other.tenant, other.auditor)
  const foreign = new Blob([new Uint8Array(await fetchArchive(other.auditor, job.exportId))])
  expect(await found(first, foreign)).toMatchObject([{ state: 'not checked' }, { state: 'not checked' }])
})
