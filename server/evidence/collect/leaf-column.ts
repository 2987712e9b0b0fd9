import { hashBytes } from '#server/audit/tree/merkle.ts'

const pieceBytes = 8192 * hashBytes

/** Stores hashes in large buffers, because a separate buffer for each hash needs four times its size. */
export class LeafColumn {
  readonly #pieces: Buffer[] = []
  #at = pieceBytes

  /** Appends a copy of a 32-byte hash. */
  push(hash: Uint8Array): void {
    if (this.#at === pieceBytes) {
      this.#pieces.push(Buffer.allocUnsafe(pieceBytes))
      this.#at = 0
    }
    this.#pieces.at(-1)?.set(hash, this.#at)
    this.#at += hash.length
  }

  /** Returns all hashes. Don't call `push` while they are read. */
  pieces(): Buffer[] {
    return this.#pieces.map((piece, index) => (index === this.#pieces.length - 1 ? piece.subarray(0, this.#at) : piece))
  }
}
