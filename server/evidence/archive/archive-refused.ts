/** The written archive does not pass its own verifier, so it is not published. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused'
}
