import type { JsonObject } from '#lib/json.ts'
import type { Coverage } from '#server/evidence/archive/coverage.ts'
import { requireNotMissing } from '#server/kernel/bound/missing.ts'
import { idsWithout, isOneOf, streamCommitted, streamRows } from '#server/kernel/bound/stream-store.ts'
import { boundType } from '#server/kernel/bound/types.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { archiveRow, type RowsOf } from './archive-row.ts'
import { isIn, type Period, type RowFile, rowFiles, spanExtra, whyGone } from './collect-store.ts'
import { inLots } from './in-lots.ts'

// The rows of an archive, all from one snapshot of the database.

/** Ids of rows that belong to a file only because a record of the period commits to them. */
export type Committed = ReadonlyMap<RowFile, ReadonlySet<string>>

/**
 * Returns the rows that records of the period commit to and that are not in a file by their own times: an approval that was
 * decided before the period and used in it.
 */
export async function committedElsewhere(
  tx: Transaction,
  tenantId: string,
  { days, rowsFrom }: { days: Coverage['days']; rowsFrom: Period },
): Promise<Committed> {
  const found = new Map(rowFiles.map((file) => [file, new Set<string>()]))
  for await (const lot of inLots(streamCommitted(tx, tenantId, days)))
    for (const [file, ids] of found) {
      const asked = lot.flatMap(({ type, id }) => (type === file.type ? [id] : []))
      if (asked.length === 0) continue
      const type = boundType(file.type)
      for (const id of await idsWithout(tx, tenantId, type, asked, isIn(tenantId, file, rowsFrom))) ids.add(id)
    }
  return found
}

/** The rows of a file. Throws IntegrityFailed for one that is not what the log commits to, and for one that was deleted. */
export async function* rowsOfFile(
  tx: Transaction,
  archive: RowsOf,
  file: RowFile,
  { rowsFrom, elsewhere }: { rowsFrom: Period; elsewhere: ReadonlySet<string> },
): AsyncGenerator<JsonObject> {
  const { tenantId } = archive
  const type = boundType(file.type)
  const extra = file.type === 'span' ? spanExtra : whyGone(file)
  if (archive.strictSince !== undefined && file.whole === true) await requireNotMissing(tx, tenantId, type)
  for await (const found of streamRows(tx, tenantId, type, { where: isIn(tenantId, file, rowsFrom), extra }))
    yield archiveRow(archive, file, type, found)
  for await (const ids of inLots(toAsync(elsewhere))) {
    const left = new Set(ids)
    for await (const found of streamRows(tx, tenantId, type, { where: isOneOf(type, ids), extra })) {
      left.delete(found.id)
      yield archiveRow(archive, file, type, found)
    }
    if (archive.strictSince === undefined) continue
    // The log commits to each of them: without a row, one has the state of a deleted object.
    await requireNotMissing(tx, tenantId, type, [...left], { logged: true })
    // The log says so, but perhaps after the period.
    if (file.type === 'span')
      for (const id of left) archive.leftOut.push({ resource: file.name, id, reason: 'retention_expired' })
  }
}

async function* toAsync<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}
