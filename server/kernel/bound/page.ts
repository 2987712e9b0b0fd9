import type { Transaction } from '#server/kernel/db/closing.ts'
import { pageOf } from '#server/kernel/page.ts'
import { requireBoundTogether } from './check.ts'

/** Other objects of which an item shows something, by type: their ids. */
export type Parts = Readonly<Record<string, readonly string[]>>

/**
 * One page of objects of a bound type, from up to `limit + 1` rows. Throws IntegrityFailed if one of them, or one of `parts`,
 * is not the one that the log commits to, as the read of one object does. Costs one statement for the page.
 */
export async function boundPage<T>(
  tx: Transaction,
  tenantId: string,
  type: string,
  { rows, limit, idOf, parts = {} }: { rows: readonly T[]; limit: number; idOf: (row: T) => string; parts?: Parts },
): Promise<{ items: T[]; nextCursor: string | null }> {
  const page = pageOf(rows, limit, idOf)
  await requireBoundTogether(tx, tenantId, { ...parts, [type]: page.items.map(idOf) })
  return page
}
