/** A stored memory, and what identifies this version of it to the store. */
export type StoredMemory = { text: string; version: string }

/** Where signers keep what they signed, outside the database: one object for each tenant. */
export type MemoryStore = {
  read(tenantId: string): Promise<StoredMemory | undefined>
  /**
   * Replaces the version that was read, durably before it returns; undefined: there was none. False if it is no longer
   * the stored one, because another signer has written.
   */
  write(tenantId: string, text: string, replaces: string | undefined): Promise<boolean>
}
