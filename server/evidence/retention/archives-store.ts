import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

export type KeptArchive = { id: string; run: number; archivePlace: string | null; archiveBytes: number; held: boolean }

/**
 * A legal hold covers an archive when it covers a day of its period, or a trace of which a span lies in the period. The archive
 * of a scope that leaves the trace out is kept, too, until the hold is released.
 */
const held = sql<boolean>`exists (
  select from legal_holds h where h.tenant_id = e.tenant_id and h.released_at is null and (
    (h.from_day <= (e.end_at at time zone 'UTC')::date and h.to_day >= (e.start_at at time zone 'UTC')::date)
    or exists (select from spans s where s.tenant_id = e.tenant_id and s.trace_id = h.trace_id
      and s.started_at >= e.start_at and s.started_at < e.end_at)))`

const archives = (tenantId: string, where: RawBuilder<unknown>) => sql<KeptArchive>`
  select e.id, e.run, e.archive_place as "archivePlace", e.archive_bytes as "archiveBytes", ${held} as held
  from evidence_exports e
  where e.tenant_id = ${tenantId} and e.archive_name is not null and e.archive_gone is null and ${where}
  order by e.id`

/** Returns the archives that were made before `before` and are not on hold. */
export async function listExpiredArchives(tx: Transaction, tenantId: string, before: Date): Promise<KeptArchive[]> {
  const { rows } = await archives(tenantId, sql`e.ended_at < ${before} and not ${held}`).execute(tx)
  return rows
}

/** Returns the archives that an erasure has not looked through yet. */
export async function listArchivesToSearch(
  tx: Transaction,
  tenantId: string,
  erasureId: string,
): Promise<KeptArchive[]> {
  const { rows } = await archives(
    tenantId,
    sql`not exists (select from erasure_archives f
      where f.tenant_id = e.tenant_id and f.erasure_id = ${erasureId} and f.export_id = e.id)`,
  ).execute(tx)
  return rows
}

/** Returns the archives that only a hold protected from an erasure, and no hold protects any more. */
export async function listReleasedArchives(
  tx: Transaction,
  tenantId: string,
): Promise<{ exportId: string; erasureId: string }[]> {
  const { rows } = await sql<{ exportId: string; erasureId: string }>`
    select f.export_id as "exportId", f.erasure_id as "erasureId"
    from erasure_archives f join evidence_exports e on e.tenant_id = f.tenant_id and e.id = f.export_id
    where f.tenant_id = ${tenantId} and f.outcome = 'held' and not ${held}
    order by f.export_id, f.erasure_id`.execute(tx)
  return rows
}

/** Whether a hold protects an archive that is not gone. */
export async function isOnHold(tx: Transaction, tenantId: string, id: string): Promise<boolean> {
  const { rows } = await archives(tenantId, sql`e.id = ${id} and ${held}`).execute(tx)
  return rows.length > 0
}

/**
 * Marks the archive permanently as gone. The store deletes it after the commit. False: it is gone already, or a hold protects it.
 */
export async function setArchiveGone(
  tx: Transaction,
  tenantId: string,
  id: string,
  reason: 'retention_expired' | 'erased',
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update evidence_exports e set archive_gone = ${reason}, archive_gone_at = clock_timestamp(), revision = revision + 1
    where e.tenant_id = ${tenantId} and e.id = ${id} and e.archive_name is not null and e.archive_gone is null
      and not ${held}`.execute(tx)
  return (numAffectedRows ?? 0n) > 0n
}

/** Returns what the store still has to delete: archives that are gone, and those of exports that ended without one. */
export const listArchivesToDelete = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('evidenceExports')
    .select(['id', 'run', 'archivePlace'])
    .where('tenantId', '=', tenantId)
    .where('endedAt', 'is not', null)
    .where('archiveDeletedAt', 'is', null)
    .where(({ eb, or, and }) =>
      or([eb('archiveGone', 'is not', null), and([eb('archiveName', 'is', null), eb('archivePlace', 'is not', null)])]),
    )
    .execute()

export async function setArchiveDeleted(tx: Transaction, tenantId: string, id: string): Promise<void> {
  await tx
    .updateTable('evidenceExports')
    .set({ archiveDeletedAt: sql<Date>`clock_timestamp()` })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/**
 * Whether a worker is making an archive, which may hold what an erasure has just removed: it reads the rows as they were when it began to
 * check the log.
 */
export async function isExportUnderWay(tx: Transaction, tenantId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('evidenceExports')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('status', 'in', ['preflight', 'collecting', 'sealing', 'verifying'])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns those of the exports that have ended or never existed. */
export async function listEndedExports(tx: Transaction, tenantId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const underWay = await tx
    .selectFrom('evidenceExports')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('id', 'in', ids)
    .where('endedAt', 'is', null)
    .execute()
  const running = new Set(underWay.map((row) => row.id))
  return ids.filter((id) => !running.has(id))
}
