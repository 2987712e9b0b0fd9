import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { whyTampered } from './check.ts'
import { IntegrityFailed } from './integrity-failed.ts'
import { readObjects } from './store.ts'
import { findDeleted } from './stream-store.ts'
import type { BoundType } from './types.ts'

/**
 * Throws IntegrityFailed if one of the objects was deleted outside the server; without ids, if any of the type was. Only for a
 * tenant whose rows are all bound. `logged`: the log commits to each of the ids, so that one without a state was deleted, too.
 */
export async function requireNotMissing(
  tx: Transaction,
  tenantId: string,
  bound: BoundType,
  ids?: readonly string[],
  { logged = false }: { logged?: boolean } = {},
): Promise<void> {
  const deleted = ids === undefined ? await findDeleted(tx, tenantId, bound) : undefined
  const asked = deleted === undefined ? (ids ?? []) : [deleted]
  if (asked.length === 0) return
  const cipher = await tenantCipher(tx, tenantId)
  for (const one of await readObjects(tx, bound, asked)) {
    const reason = logged && one.bound === null ? whyStateless : whyTampered(cipher, bound, one)
    if (reason !== undefined) throw new IntegrityFailed({ tenantId, type: bound.type, id: one.id, reason })
  }
}

const whyStateless = 'The log commits to it, and its stored state is missing.'
