import type { Config } from '#server/kernel/config.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { fileMemory } from './file-memory.ts'
import type { MemoryStore } from './memory-store.ts'
import { s3Memory } from './s3-memory.ts'

// Owned by this module: the store of each configuration, which keeps its connections.
const stores = new WeakMap<object, MemoryStore>()

/** The store that SIGNER_MEMORY names. */
export const memoryStore = (): MemoryStore => memoryStoreOf(runtime().config)

/** The same for settings of a process without a runtime. */
export function memoryStoreOf(config: Config): MemoryStore {
  const { signerMemory, s3Endpoint, dataDir } = config
  const store =
    stores.get(config) ?? (signerMemory === 'file' ? fileMemory(dataDir) : s3Memory(signerMemory, s3Endpoint))
  stores.set(config, store)
  return store
}
