import { findLeaves } from '#server/audit/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findBreak } from './check-state.ts'
import { findTiles } from './tile-store.ts'
import { tileWidth } from './tiles.ts'
import { rootAt } from './tree.ts'

/**
 * Returns why the stored log of a day is not the signed one, as far as a few rows show: its tree must have the root, the
 * records that share a tile with this one must match it, and no check of the whole day may have failed. Undefined when
 * every condition is met.
 */
export async function whyLogAltered(
  tx: Transaction,
  tenantId: string,
  { date, seq, size, root }: { date: string; seq: number; size: number; root: Buffer },
): Promise<string | undefined> {
  if ((await rootAt(tx, { tenantId, name: date }, size))?.equals(root) !== true)
    return `The stored tree of ${date} does not have the signed root.`
  const start = seq - (seq % tileWidth)
  const end = Math.min(size, start + tileWidth)
  const [tile] = await findTiles(tx, tenantId, date, [{ level: 0, tile: start / tileWidth }])
  const leaves = await findLeaves(tx, tenantId, date, start, end)
  if (leaves === undefined || tile?.hashes.subarray(0, leaves.length).equals(leaves) !== true)
    return `One of the records ${start} to ${end - 1} of ${date} was changed, moved or removed.`
  const broken = await findBreak(tx, tenantId, date)
  if (broken !== undefined) return `The recurring check of the whole log of ${date} failed: ${broken}`
}
