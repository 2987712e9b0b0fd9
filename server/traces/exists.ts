import type { Transaction } from '#server/kernel/db/database.ts'
import { findTrace } from './store.ts'

export const traceExists = async (tx: Transaction, tenantId: string, traceId: string): Promise<boolean> =>
  (await findTrace(tx, tenantId, traceId)) !== undefined
