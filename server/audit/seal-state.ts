import type { Transaction } from '#server/kernel/db/database.ts'
import { findSeals } from './store.ts'

export type SealState = 'none' | 'pending' | 'sealed'

/** How far an audit record is proven: no such record, not yet covered by a signed checkpoint, or covered by one. */
export async function sealStateOf(tx: Transaction, tenantId: string, auditId: string): Promise<SealState> {
  return (await sealStatesOf(tx, tenantId, [auditId]))(auditId)
}

/** The same for several records, in one statement. */
export async function sealStatesOf(
  tx: Transaction,
  tenantId: string,
  auditIds: readonly string[],
): Promise<(auditId: string) => SealState> {
  const seals = auditIds.length === 0 ? [] : await findSeals(tx, tenantId, auditIds)
  const states = new Map(
    seals.map(({ auditId, seq, signedSize }): [string, SealState] => [
      auditId,
      signedSize !== null && seq < signedSize ? 'sealed' : 'pending',
    ]),
  )
  return (auditId) => states.get(auditId) ?? 'none'
}
