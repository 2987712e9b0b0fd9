import { listCosignatures, type StoredSealCheckpoint } from '#server/audit/sealing/seal-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

/** Returns a checkpoint of the seal log with the signature lines of its witnesses after the tenant's. */
export async function cosignedNote(
  tx: Transaction,
  tenantId: string,
  checkpoint: StoredSealCheckpoint,
): Promise<string> {
  const lines = await listCosignatures(tx, tenantId, checkpoint.size)
  return [checkpoint.note, ...lines.map(({ line }) => `${line}\n`)].join('')
}
