import type { Transaction } from '#server/kernel/db/database.ts'

/** Returns the erasures whose subject each of the exports' archives contains, although it was not deleted. */
export async function listContainsErased(
  tx: Transaction,
  tenantId: string,
  exportIds: readonly string[],
): Promise<Map<string, string[]>> {
  if (exportIds.length === 0) return new Map()
  const rows = await tx
    .selectFrom('erasureArchives')
    .select(['exportId', 'erasureId'])
    .where('tenantId', '=', tenantId)
    .where('exportId', 'in', exportIds)
    .where('outcome', '!=', 'deleted')
    .orderBy('erasureId')
    .execute()
  const byExport = Map.groupBy(rows, (row) => row.exportId)
  return new Map([...byExport].map(([id, found]) => [id, found.map((one) => one.erasureId)]))
}

export type ArchiveOutcome = 'deleted' | 'marked' | 'held'

/** Records that an archive holds the subject of an erasure, and what became of it. A repetition replaces the outcome. */
export async function setFound(
  tx: Transaction,
  row: { tenantId: string; erasureId: string; exportId: string; outcome: ArchiveOutcome },
): Promise<void> {
  await tx
    .insertInto('erasureArchives')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['tenantId', 'erasureId', 'exportId']).doUpdateSet({ outcome: row.outcome }),
    )
    .execute()
}

/** Returns the archives that each erasure found. */
export async function listErasureArchives(
  tx: Transaction,
  tenantId: string,
  erasureIds: readonly string[],
): Promise<Map<string, { exportId: string; outcome: ArchiveOutcome }[]>> {
  if (erasureIds.length === 0) return new Map()
  const rows = await tx
    .selectFrom('erasureArchives')
    .select(['erasureId', 'exportId', 'outcome'])
    .$narrowType<{ outcome: ArchiveOutcome }>()
    .where('tenantId', '=', tenantId)
    .where('erasureId', 'in', erasureIds)
    .orderBy('exportId')
    .execute()
  const byErasure = Map.groupBy(rows, (row) => row.erasureId)
  return new Map([...byErasure].map(([id, found]) => [id, found.map(({ erasureId: _, ...one }) => one)]))
}
