import { hashBytes } from '#server/audit/tree/merkle.ts'

const pieceBytes = 8192 * hashBytes

/** Hashes one after the other, in large pieces: a buffer for each of a million takes four times what it holds. */
export class LeafColumn {
  readonly #pieces: Buffer[] = []
  #at = pieceBytes

  /** A hash of 32 bytes, which is copied. */
  push(hash: Uint8Array): void {
    if (this.#at === pieceBytes) {
      this.#pieces.push(Buffer.allocUnsafe(pieceBytes))
      this.#at = 0
    }
    this.#pieces.at(-1)?.set(hash, this.#at)
    this.#at += hash.length
  }

  /** All of them. Nothing may be added while they are read. */
  pieces(): Buffer[] {
    return this.#pieces.map((piece, index) => (index === this.#pieces.length - 1 ? piece.subarray(0, this.#at) : piece))
  }
}
