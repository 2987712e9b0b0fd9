import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { MemoryMoved } from './memory/signer-memory.ts'

/** In a transaction that is repeated when another signer was faster: then everything is read and checked again. */
export async function alone(tenantId: string, work: (tx: Transaction) => Promise<void>): Promise<void> {
  for (let left = 3; ; left--) {
    try {
      return await runtime().database.inTenant(tenantId, work)
    } catch (error) {
      if (!(error instanceof MemoryMoved) || left === 0) throw error
    }
  }
}
