/** The stored log contradicts an earlier signature, or has lost records, so it must not be signed. */
export class LogRefused extends Error {
  override readonly name = 'LogRefused'
}

/** What the signer remembers outside of the database is missing or damaged, so that nothing can be compared with it. */
export class MemoryRefused extends LogRefused {}
