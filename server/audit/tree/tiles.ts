import { emptyRoot, hashBytes, hashPairs, type LeafRange, nodeHash } from './merkle.ts'

// A tree cut into tiles (https://c2sp.org/tlog-tiles): each holds up to 256 hashes of one level, and each hash of a level
// above is the root of a full tile below. A proof needs only a few of them.

export const tileWidth = 256
export const fullTileBytes: number = tileWidth * hashBytes

/** The position of a tile: `level` from the leaves up, `tile` from the left. */
export type TileAt = { level: number; tile: number }
/** `hashes` contains 1 to 256 concatenated hashes. */
export type Tile = TileAt & { hashes: Buffer }
/** The requested tiles. If one is missing or too short, the result is undefined. */
export type Tiles = (at: TileAt) => Uint8Array | undefined

/** A perfect subtree: the `index`-th of 2^height leaves. */
type Subtree = { height: number; index: number }

/** The perfect subtrees of a range from left to right, as RFC 6962 divides it. */
function subtrees([start, end]: LeafRange): Subtree[] {
  const found: Subtree[] = []
  for (let at = start; at < end; ) {
    const height = Math.floor(Math.log2(end - at))
    found.push({ height, index: at / 2 ** height })
    at += 2 ** height
  }
  return found
}

/** The position of a subtree's hashes: `count` of them in one tile. */
function placeOf({ height, index }: Subtree): TileAt & { offset: number; count: number } {
  const level = Math.floor(height / 8)
  const count = 2 ** (height - 8 * level)
  const first = index * count
  return { level, tile: Math.floor(first / tileWidth), offset: first % tileWidth, count }
}

/** The tiles from which the roots of `ranges` can be computed, each once. */
export function tilesFor(ranges: readonly LeafRange[]): TileAt[] {
  const found = new Map<string, TileAt>()
  for (const { level, tile } of ranges.flatMap(subtrees).map(placeOf)) found.set(`${level}/${tile}`, { level, tile })
  return [...found.values()]
}

/** The root of a range of leaves; SHA-256("") of an empty one; undefined when a tile is missing or too short. */
export function rangeRoot(tiles: Tiles, range: LeafRange): Buffer | undefined {
  const roots: Buffer[] = []
  for (const subtree of subtrees(range)) {
    const { offset, count, ...at } = placeOf(subtree)
    const hashes = tiles(at)?.subarray(offset * hashBytes, (offset + count) * hashBytes)
    if (hashes?.length !== count * hashBytes) return undefined
    roots.push(perfectRoot(hashes))
  }
  return foldRight(roots)
}

const foldRight = (roots: readonly Buffer[]): Buffer =>
  roots.reduceRight<Buffer | undefined>((right, left) => (right ? nodeHash(left, right) : left), undefined) ?? emptyRoot

// Reused (synchronous, so never shared): a tile's hashes give way to their parents, level by level.
const scratch = Buffer.alloc(fullTileBytes)

/** The root over 2^n hashes, at most a tile of them. */
function perfectRoot(hashes: Uint8Array): Buffer {
  scratch.set(hashes)
  for (let bytes = hashes.length; bytes > hashBytes; bytes /= 2) hashPairs(scratch, bytes)
  return Buffer.from(scratch.subarray(0, hashBytes))
}

/** The partial tiles at the right edge of a tree of `size` leaves, which suffice to extend it. */
export function edgeOf(size: number): (TileAt & { width: number })[] {
  const edge: (TileAt & { width: number })[] = []
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / tileWidth))
    if (hashes % tileWidth > 0) edge.push({ level, tile: Math.floor(hashes / tileWidth), width: hashes % tileWidth })
  return edge
}

/** A tree that adds leaves and returns the tiles that they fill or begin. */
export type TreeGrowth = {
  size(): number
  /** `leaves`: concatenated leaf hashes. */
  add(leaves: Uint8Array): void
  /** Returns the tiles that were filled since the last call. */
  takeFull(): Tile[]
  /** Returns the current tiles at the right edge. */
  partial(): Tile[]
  root(): Buffer
}

/** Continues a tree of `size` leaves with its right edge in `tiles`. Undefined if a tile is missing. */
export function growTree(size: number, tiles: Tiles): TreeGrowth | undefined {
  const levels: { tile: number; width: number; hashes: Buffer }[] = []
  const levelAt = (level: number) => {
    levels[level] ??= { tile: 0, width: 0, hashes: Buffer.alloc(fullTileBytes) }
    return levels[level]
  }
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / tileWidth)) {
    const row = levelAt(level)
    row.tile = Math.floor(hashes / tileWidth)
    row.width = hashes % tileWidth
    if (row.width === 0) continue
    const stored = tiles({ level, tile: row.tile })?.subarray(0, row.width * hashBytes)
    if (stored?.length !== row.width * hashBytes) return undefined
    row.hashes.set(stored)
  }
  let full: Tile[] = []
  let leaves = size
  /** Adds as many of the hashes as fit into the tile, and returns their number of bytes. */
  const push = (level: number, given: Uint8Array): number => {
    const row = levelAt(level)
    const taken = given.subarray(0, (tileWidth - row.width) * hashBytes)
    row.hashes.set(taken, row.width * hashBytes)
    row.width += taken.length / hashBytes
    if (row.width < tileWidth) return taken.length
    const hashes = Buffer.from(row.hashes)
    full.push({ level, tile: row.tile, hashes })
    row.tile += 1
    row.width = 0
    push(level + 1, perfectRoot(hashes))
    return taken.length
  }
  const partial = () =>
    levels.flatMap(({ tile, width, hashes }, level) =>
      width === 0 ? [] : [{ level, tile, hashes: Buffer.from(hashes.subarray(0, width * hashBytes)) }],
    )
  return {
    size: () => leaves,
    add(hashes) {
      if (hashes.length % hashBytes !== 0) throw new RangeError('Leaf hashes must be 32 bytes each.')
      for (let at = 0; at < hashes.length; ) at += push(0, hashes.subarray(at))
      leaves += hashes.length / hashBytes
    },
    takeFull() {
      const taken = full
      full = []
      return taken
    },
    partial,
    root() {
      const edge = partial().reverse()
      return foldRight(
        edge.flatMap(({ hashes }) =>
          subtrees([0, hashes.length / hashBytes]).map(({ height, index }) => {
            const start = index * 2 ** height * hashBytes
            return perfectRoot(hashes.subarray(start, start + 2 ** height * hashBytes))
          }),
        ),
      )
    },
  }
}
