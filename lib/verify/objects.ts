import { sha256Now } from '../sha256.ts'
import { type Bytes, encode } from './bytes.ts'

/** What the log says of an object. `digest`: undefined if it was deleted. */
export type Committed = {
  revision: number
  /** The list of columns of its state: 1 to `mostForms`. */
  form: number
  digest: Bytes | undefined
  /** The archive's own log commits to it, so that the archive must have its row. */
  owed: boolean
  /** The archive has its row. */
  seen: boolean
}

export type Objects = ReturnType<typeof objectTable>

const [isDeleted, isOwed, isSeen, formShift] = [1, 2, 4, 3]
export const mostForms = 31

/**
 * Objects by type and id, in 53 bytes each and some room: an archive may have millions, and a Map of them would need more memory
 * than a verifier has. An object is known by the first 128 bits of the SHA-256 of its name.
 */
export function objectTable() {
  let capacity = 1024
  let count = 0
  let cells = cellsOf(capacity)

  /** The place of the key, or the free one where it belongs. */
  const placeOf = (key: Uint32Array): number => {
    for (let at = (key[0] ?? 0) % capacity; ; at = (at + 1) % capacity) {
      if (cells.revisions[at] === 0) return at
      if (key.every((part, index) => cells.keys[4 * at + index] === part)) return at
    }
  }
  const grow = () => {
    const [before, size] = [cells, capacity]
    capacity = Math.ceil(capacity * 1.5)
    cells = cellsOf(capacity)
    for (let from = 0; from < size; from++) {
      if (before.revisions[from] === 0) continue
      const key = before.keys.subarray(4 * from, 4 * from + 4)
      const at = placeOf(key)
      cells.keys.set(key, 4 * at)
      cells.revisions[at] = before.revisions[from] ?? 0
      cells.flags[at] = before.flags[from] ?? 0
      cells.digests.set(before.digests.subarray(32 * from, 32 * from + 32), 32 * at)
    }
  }
  return {
    get(type: string, id: string): Committed | undefined {
      const at = placeOf(keyOf(type, id))
      const [revision = 0, flags = 0] = [cells.revisions[at], cells.flags[at]]
      if (revision === 0) return undefined
      return {
        revision,
        form: flags >> formShift,
        digest: (flags & isDeleted) === 0 ? cells.digests.slice(32 * at, 32 * at + 32) : undefined,
        owed: (flags & isOwed) !== 0,
        seen: (flags & isSeen) !== 0,
      }
    },
    set(type: string, id: string, { revision, form, digest, owed, seen }: Committed): void {
      const key = keyOf(type, id)
      let at = placeOf(key)
      if (cells.revisions[at] === 0) {
        count += 1
        if (count > capacity * 0.75) {
          grow()
          at = placeOf(key)
        }
        cells.keys.set(key, 4 * at)
      }
      cells.revisions[at] = revision
      cells.flags[at] =
        (form << formShift) | (digest === undefined ? isDeleted : 0) | (owed ? isOwed : 0) | (seen ? isSeen : 0)
      if (digest !== undefined) cells.digests.set(digest, 32 * at)
    },
    /** The number of objects that the archive must have and does not. */
    missing(): number {
      return cells.flags.reduce(
        (sum, flags, at) =>
          sum + (cells.revisions[at] !== 0 && (flags & (isDeleted | isOwed | isSeen)) === isOwed ? 1 : 0),
        0,
      )
    },
  }
}

const cellsOf = (capacity: number) => ({
  keys: new Uint32Array(4 * capacity),
  // 0 for a free cell: revisions begin with 1.
  revisions: new Uint32Array(capacity),
  flags: new Uint8Array(capacity),
  digests: new Uint8Array(32 * capacity),
})

function keyOf(type: string, id: string): Uint32Array {
  const view = new DataView(sha256Now(encode(`${type} ${id}`)).buffer)
  return Uint32Array.of(view.getUint32(0), view.getUint32(4), view.getUint32(8), view.getUint32(12))
}
