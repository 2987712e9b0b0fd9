/** The stored log contradicts an earlier signature, or has lost records, so it must not be signed. */
export class LogRefused extends Error {
  override readonly name = 'LogRefused'
}
