import type { JsonObject } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { payloadDigestOf } from './request.ts'
import { findGrant as findRow, findSalt, setUsed } from './store.ts'

/**
 * Spends an approval on exactly the bytes that were approved, in the transaction that starts the act. False when it is not
 * approved, was spent before, or binds other bytes: then the act must not start.
 */
export async function spendApproval(
  tx: Transaction,
  tenantId: string,
  approvalId: string,
  payload: JsonObject,
): Promise<boolean> {
  const salt = await findSalt(tx, tenantId, approvalId)
  const salted = salt === undefined ? payload : { ...payload, salt }
  return await setUsed(tx, tenantId, approvalId, payloadDigestOf(salted))
}

/** An approval as whoever asked for it sees it: of which kind, how it stands, and the decision that demanded it. */
export const findGrant = findRow
