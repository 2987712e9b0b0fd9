/** The stored log contradicts what was signed before, or has lost records: nothing is signed over it. */
export class LogRefused extends Error {
  override readonly name = 'LogRefused'
}
