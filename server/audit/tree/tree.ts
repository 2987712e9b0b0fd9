import type { LogName } from '#server/audit/sealing/log-name.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { consistencyRanges, inclusionRanges, type LeafRange } from './merkle.ts'
import { findTiles, setTiles } from './tile-store.ts'
import { edgeOf, growTree, rangeRoot, type Tile, type TileAt, type Tiles, tilesFor } from './tiles.ts'

/** The number of full tiles that are written at a time: 2 MB. */
const tilesPerWrite = 256

/** A log of a tenant, whose tree is stored in tiles. */
export type Log = { tenantId: string; name: LogName }

async function read(tx: Transaction, log: Log, wanted: readonly TileAt[]): Promise<Tiles> {
  const found = new Map<string, Uint8Array>()
  for (const { level, tile, hashes } of await findTiles(tx, log.tenantId, log.name, wanted))
    found.set(`${level}/${tile}`, hashes)
  return ({ level, tile }) => found.get(`${level}/${tile}`)
}

/** The roots of the ranges, undefined when a tile is missing. One read of at most five rows for a million leaves. */
async function roots(tx: Transaction, log: Log, ranges: readonly LeafRange[]): Promise<Buffer[] | undefined> {
  const tiles = await read(tx, log, tilesFor(ranges))
  const made: Buffer[] = []
  for (const range of ranges) {
    const root = rangeRoot(tiles, range)
    if (root === undefined) return undefined
    made.push(root)
  }
  return made
}

/** Returns the proof of a leaf in the tree of the first `size` leaves, or undefined if a tile is missing. */
export async function provenLeaf(
  tx: Transaction,
  log: Log,
  index: number,
  size: number,
): Promise<{ leafHash: Buffer; proof: Buffer[] } | undefined> {
  const [leafHash, ...proof] = (await roots(tx, log, [[index, index + 1], ...inclusionRanges(index, size)])) ?? []
  return leafHash && { leafHash, proof }
}

/** The root of the first `size` leaves, undefined when a tile is missing. */
export async function rootAt(tx: Transaction, log: Log, size: number): Promise<Buffer | undefined> {
  return (await roots(tx, log, [[0, size]]))?.[0]
}

/** Proof that the first `size1` leaves are a prefix of the first `size2`: 1 ≤ size1 ≤ size2. */
export const consistencyAt = (tx: Transaction, log: Log, size1: number, size2: number): Promise<Buffer[] | undefined> =>
  roots(tx, log, consistencyRanges(size1, size2))

/**
 * Adds leaves (concatenated hashes, in pieces) to a tree of `size` leaves and stores its tiles. Returns the root of all leaves,
 * or undefined if the right edge of the tree is missing. One process at a time: the caller holds the lock of the log.
 */
export async function extendTree(
  tx: Transaction,
  log: Log,
  size: number,
  leaves: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<{ size: number; root: Buffer } | undefined> {
  const tree = growTree(size, await read(tx, log, edgeOf(size)))
  if (tree === undefined) return undefined
  let full: Tile[] = []
  for await (const piece of leaves) {
    tree.add(piece)
    full.push(...tree.takeFull())
    if (full.length < tilesPerWrite) continue
    await setTiles(tx, log.tenantId, log.name, full)
    full = []
  }
  await setTiles(tx, log.tenantId, log.name, [...full, ...tree.partial()])
  return { size: tree.size(), root: tree.root() }
}
