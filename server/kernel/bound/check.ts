import type { Transaction } from '#server/kernel/db/transaction.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { adoptionEnded } from './adopted.ts'
import { IntegrityFailed } from './integrity-failed.ts'
import { hasRightMac, rowDigest } from './state.ts'
import { type Checked, type Compared, readBelow, readObjects } from './store.ts'
import { type BoundType, boundType, form } from './types.ts'

/**
 * Throws IntegrityFailed if one of the objects is not the one that the log commits to: changed, inserted or deleted by anyone
 * but this server. Objects that never existed pass. Costs one statement.
 */
export async function requireBound(
  tx: Transaction,
  tenantId: string,
  type: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0 || !(await adoptionEnded(tx, tenantId))) return
  const bound = boundType(type)
  await requireRight(tx, tenantId, bound, await readObjects(tx, bound, ids))
}

/** The same for all objects below `parent`, such as the votes on an approval: none may be missing either. */
export async function requireBoundBelow(
  tx: Transaction,
  tenantId: string,
  type: string,
  parent: string,
): Promise<void> {
  if (!(await adoptionEnded(tx, tenantId))) return
  const bound = boundType(type)
  await requireRight(tx, tenantId, bound, await readBelow(tx, bound, parent))
}

/** The same for all objects of a type, for types of which a tenant has few: none may be missing either. */
export async function requireAllBound(tx: Transaction, tenantId: string, type: string): Promise<void> {
  if (!(await adoptionEnded(tx, tenantId))) return
  const bound = boundType(type)
  await requireRight(tx, tenantId, bound, await readBelow(tx, bound, undefined))
}

async function requireRight(
  tx: Transaction,
  tenantId: string,
  bound: BoundType,
  objects: readonly Checked[],
): Promise<void> {
  if (objects.length === 0) return
  const cipher = await tenantCipher(tx, tenantId)
  for (const one of objects) {
    // Its row before the transaction is checked at the COMMIT.
    if (one.touched) continue
    const reason = whyTampered(cipher, bound, one)
    if (reason !== undefined) throw new IntegrityFailed({ tenantId, type: bound.type, id: one.id, reason })
  }
}

/** Why an object of a tenant whose adoption has ended is not the one that the log commits to. */
export function whyTampered(
  cipher: TenantCipher,
  bound: BoundType,
  { id, row, bound: state }: Compared,
): string | undefined {
  if (state === null) return row === null ? undefined : 'It was inserted outside the server.'
  if (!hasRightMac(cipher, bound.type, id, state)) return 'Its bound state was not written by the server.'
  if (state.digest === null) return row === null ? undefined : 'It was deleted, and inserted again outside the server.'
  if (row === null) return 'It was deleted outside the server.'
  if (state.form !== form) return `Its state has the form ${state.form}, which this version does not know.`
  return rowDigest(cipher, bound, id, state.revision, row).equals(state.digest)
    ? undefined
    : 'It was changed outside the server.'
}
