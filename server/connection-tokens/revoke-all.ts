import type { Transaction } from '#server/kernel/db/database.ts'
import { setAllRevoked } from './store.ts'

/**
 * Revokes the connection tokens of an account that is being disabled, suspended or removed: its return must not bring them back.
 * The caller's audit record covers this.
 */
export const revokeTokensOf = (tx: Transaction, tenantId: string, memberId: string): Promise<void> =>
  setAllRevoked(tx, tenantId, memberId)
