import type { Config } from '#server/kernel/config.ts'
import { memoryStoreOf } from './configured-store.ts'

/** What a backup states of a tenant: the texts of the signer's memory. */
export type BackedUpMemory = { memory: string | undefined; adopted: string | undefined }

/**
 * Reads what the signer remembers of each tenant, under the current name of its log. Call it after the snapshot of the rows: the
 * signer writes its memory before the row that it signs, so that the memory has every signed row.
 */
export async function* backedUpMemories(
  config: Config,
  tenants: readonly { id: string; logName: string | null }[],
): AsyncGenerator<{ tenantId: string } & BackedUpMemory> {
  const store = memoryStoreOf(config)
  for (const { id, logName } of tenants) {
    const name = logName === null ? id : `${id}.${logName}`
    const [memory, adopted] = [(await store.read(name))?.text, (await store.read(`${name}.adopted`))?.text]
    yield { tenantId: id, memory, adopted }
  }
}
