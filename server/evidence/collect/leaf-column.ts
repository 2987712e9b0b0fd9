import { hashBytes } from '#server/audit/tree/merkle.ts'

const pieceBytes = 8192 * hashBytes

/** Stores hashes in large buffers, because a separate buffer for each hash needs four times its size. */
export class LeafColumn {
  readonly #pieces: Buffer[] = []
  #at = pieceBytes

  /** Appends a 32-byte hash, given in hex. */
  push(hash: string): void {
    if (this.#at === pieceBytes) {
      this.#pieces.push(Buffer.allocUnsafe(pieceBytes))
      this.#at = 0
    }
    this.#at += this.#pieces.at(-1)?.write(hash, this.#at, 'hex') ?? 0
  }

  /** Returns all hashes. Don't call `push` while they are read. */
  pieces(): Buffer[] {
    return this.#pieces.map((piece, index) => (index === this.#pieces.length - 1 ? piece.subarray(0, this.#at) : piece))
  }
}
