import type { ExportStatus } from '#lib/schemas/evidence.ts'
import { claimExport, type ExportEnd, findExport, type StoredExport, setExportStatus } from '#server/evidence/store.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'

/** The export was canceled, or another run has taken it over, so this run stops and leaves no files. */
export class Superseded extends Error {
  override readonly name = 'Superseded'
}

/** One run of a worker for one export. `row` is the row as claimed, with the state that the run has set since. */
export type ClaimedExport = { tenant: Tenant; row: StoredExport }

const order: readonly ExportStatus[] = ['queued', 'preflight', 'collecting', 'sealing', 'verifying']

/** Claims the export for this run. Undefined if it has ended. An earlier run that is still active can no longer change it. */
export const claim = (tenantId: string, exportId: string): Promise<ClaimedExport | undefined> =>
  runtime().database.inTenant(tenantId, async (tx) => {
    const row = await claimExport(tx, tenantId, exportId)
    return row && { tenant: await tenantById(tx, tenantId), row }
  })

/** Advances the export to `status`, with its audit record. Does nothing if a crashed run has already reached it. */
export async function advance(
  run: ClaimedExport,
  status: 'preflight' | 'collecting' | 'sealing' | 'verifying',
): Promise<void> {
  if (order.indexOf(run.row.status) >= order.indexOf(status)) return await checkStillOurs(run)
  await runtime().database.inTenant(run.tenant.id, (tx) => transition(tx, run, status))
}

/** Throws Superseded when the export is no longer this run's. */
export async function checkStillOurs({ tenant, row }: ClaimedExport): Promise<void> {
  const now = await runtime().database.inTenant(tenant.id, (tx) => findExport(tx, tenant.id, row.id))
  if (now?.revision !== row.revision) throw new Superseded(`Export ${row.id} is no longer this run's.`)
}

/** Looked at less often, because each look is a transaction. What a run changes by then is refused in any case, by its revision. */
const lookEveryMs = 100

/** A `checkStillOurs` for before each file of an archive, of which most are small. */
export function stillOursNowAndThen(run: ClaimedExport): () => Promise<void> {
  let looked = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - looked < lookEveryMs) return
    await checkStillOurs(run)
    looked = performance.now()
  }
}

/** Whether another run has taken the export over, or it has ended. */
export async function isSuperseded({ tenant, row }: ClaimedExport): Promise<boolean> {
  const now = await runtime().database.inTenant(tenant.id, (tx) => findExport(tx, tenant.id, row.id))
  return now === undefined || now.run !== row.run || now.endedAt !== null
}

/** Compare-and-set to `status` and the audit record of it, in `tx`. Throws Superseded, which must roll `tx` back. */
export async function transition(
  tx: Transaction,
  run: ClaimedExport,
  status: ExportStatus,
  end?: ExportEnd,
): Promise<void> {
  const { tenant, row } = run
  const where = { tenantId: tenant.id, id: row.id, status: row.status, revision: row.revision }
  const revision = await setExportStatus(tx, where, status, end)
  if (revision === undefined) throw new Superseded(`Export ${row.id} is no longer this run's.`)
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: `evidence_export.${status}`,
    resource: { type: 'evidence_export', id: row.id },
    details: {
      from: row.status,
      to: status,
      manifestSha256: end?.manifestSha256,
      sha256: end?.archiveSha256,
      bytes: end?.archiveBytes,
      error: end?.error,
    },
  })
  run.row = { ...row, status, revision }
}
