import type { JsonObject } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { payloadDigestOf } from './request.ts'
import { findGrant as findRow, findSalt, setUsed } from './store.ts'

/**
 * Spends an approval on exactly the approved bytes, in the transaction that starts the action. False when it is not approved,
 * already spent or bound to other bytes; the action must then not start.
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

/** An approval from its requester's view: its kind, its status and the decision that required it. */
export const findGrant = findRow
