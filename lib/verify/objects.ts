import { sha256Now } from '../sha256.ts'
import { type Bytes, encode } from './bytes.ts'
import { most } from './limits.ts'
import { NotChecked } from './report.ts'

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

/** A digest that is two numbers. */
export function twoNumbers(first: number, second: number): Bytes {
  const view = new DataView(new ArrayBuffer(32))
  view.setFloat64(0, first)
  view.setFloat64(8, second)
  return new Uint8Array(view.buffer)
}
export function numbersIn(digest: Bytes): [first: number, second: number] {
  const view = new DataView(digest.buffer, digest.byteOffset)
  return [view.getFloat64(0), view.getFloat64(8)]
}

/** For a table of names only. */
export const noDigest: Bytes = new Uint8Array(32)

export type Objects = ReturnType<typeof objectTable>
/** How much memory the tables of one verification may have together. */
export type Room = ReturnType<typeof memoryRoom>

/** Memory for tables. `take` throws NotChecked when they need more, and from then on what they lack means nothing. */
export function memoryRoom() {
  let used = 0
  let full = false
  const require = () => {
    if (full)
      throw new NotChecked(
        'The archive has more records than this verifier can compare with their rows in 256 MB of memory. Export shorter periods.',
      )
  }
  return {
    isFull: () => full,
    require,
    take(bytes: number): void {
      used += bytes
      full ||= used > most.tableBytes
      require()
    },
    give(bytes: number): void {
      used -= bytes
    },
  }
}

const [isDeleted, isOwed, isSeen, formShift] = [1, 2, 4, 3]
export const mostForms = 31

/** Parts of a table that grow one by one, so that growing needs little more memory than the table has. */
const parts = 64
const firstCells = 16
const cellBytes = 53

/**
 * Objects by type and id, in 53 bytes each and some room: an archive may have millions, and a Map of them would need more memory
 * than a verifier has. An object is known by the first 128 bits of the SHA-256 of its name.
 */
export function objectTable(room: Room) {
  let capacity = 0
  const made = (cells: number): Cells => {
    room.take(cells * cellBytes)
    capacity += cells
    return cellsOf(cells)
  }
  const tables = Array.from({ length: parts }, () => made(firstCells))

  const grown = (before: Cells): Cells => {
    const cells = made(Math.ceil(before.capacity * 1.5))
    for (let from = 0; from < before.capacity; from++) {
      if (before.revisions[from] === 0) continue
      const key = before.keys.subarray(4 * from, 4 * from + 4)
      const at = placeOf(cells, key)
      cells.keys.set(key, 4 * at)
      cells.revisions[at] = before.revisions[from] ?? 0
      cells.flags[at] = before.flags[from] ?? 0
      cells.digests.set(before.digests.subarray(32 * from, 32 * from + 32), 32 * at)
    }
    cells.count = before.count
    room.give(before.capacity * cellBytes)
    capacity -= before.capacity
    return cells
  }
  const partOf = (key: Uint32Array): number => (key[1] ?? 0) % parts
  const cellsFor = (key: Uint32Array): Cells => tables[partOf(key)] as Cells
  return {
    get(type: string, id: string): Committed | undefined {
      const key = keyOf(type, id)
      const cells = cellsFor(key)
      const at = placeOf(cells, key)
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
      let cells = cellsFor(key)
      let at = placeOf(cells, key)
      if (cells.revisions[at] === 0) {
        if (cells.count + 1 > cells.capacity * 0.75) {
          cells = grown(cells)
          tables[partOf(key)] = cells
          at = placeOf(cells, key)
        }
        cells.count += 1
        cells.keys.set(key, 4 * at)
      }
      cells.revisions[at] = revision
      cells.flags[at] =
        (form << formShift) | (digest === undefined ? isDeleted : 0) | (owed ? isOwed : 0) | (seen ? isSeen : 0)
      if (digest !== undefined) cells.digests.set(digest, 32 * at)
    },
    /** The number of objects that the archive must have and does not. */
    missing(): number {
      let count = 0
      for (const { flags, revisions } of tables)
        for (const [at, flag] of flags.entries())
          if (revisions[at] !== 0 && (flag & (isDeleted | isOwed | isSeen)) === isOwed) count += 1
      return count
    },
    /** Call it when the table is no longer used. */
    release(): void {
      room.give(capacity * cellBytes)
      capacity = 0
      tables.length = 0
    },
  }
}

type Cells = ReturnType<typeof cellsOf>

const cellsOf = (capacity: number) => ({
  capacity,
  count: 0,
  keys: new Uint32Array(4 * capacity),
  // 0 for a free cell: revisions begin with 1.
  revisions: new Uint32Array(capacity),
  flags: new Uint8Array(capacity),
  digests: new Uint8Array(32 * capacity),
})

/** The place of the key, or the free one where it belongs. */
function placeOf(cells: Cells, key: Uint32Array): number {
  for (let at = (key[0] ?? 0) % cells.capacity; ; at = (at + 1) % cells.capacity) {
    if (cells.revisions[at] === 0) return at
    if (key.every((part, index) => cells.keys[4 * at + index] === part)) return at
  }
}

function keyOf(type: string, id: string): Uint32Array {
  const view = new DataView(sha256Now(encode(`${type} ${id}`)).buffer)
  return Uint32Array.of(view.getUint32(0), view.getUint32(4), view.getUint32(8), view.getUint32(12))
}
