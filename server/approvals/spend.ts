import type { JsonObject } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { payloadDigestOf, saltedPayload } from './payload-digest.ts'
import { findGrant as findRow, findSealing, setUsed } from './store.ts'

/**
 * Spends an approval on exactly the approved bytes, described as they were when they were approved, in the transaction that starts the action. False when it is not approved,
 * already spent or bound to other bytes; the action must then not start.
 */
export async function spendApproval(
  tx: Transaction,
  tenantId: string,
  approvalId: string,
  payload: JsonObject,
): Promise<boolean> {
  const found = await findSealing(tx, tenantId, approvalId)
  if (found === undefined) return false
  const digest = payloadDigestOf(saltedPayload(payload, found.sealing), found.presentation)
  return await setUsed(tx, tenantId, approvalId, digest)
}

/** An approval from its requester's view: its kind, its status and the decision that required it. */
export const findGrant = findRow
