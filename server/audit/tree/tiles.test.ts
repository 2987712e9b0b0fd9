import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  consistencyProof,
  consistencyRanges,
  inclusionProof,
  inclusionRanges,
  rootFromInclusionProof,
  treeRoot,
  verifyConsistency,
} from './merkle.ts'
import { edgeOf, growTree, rangeRoot, type TileAt, type Tiles, tilesFor } from './tiles.ts'

const leavesOf = (count: number) => Array.from({ length: count }, (_, index) => hash('sha256', `${index}`, 'buffer'))

/** Grows a tree in steps as the sealer does, and stores tiles as the table does. */
function grown(leaves: readonly Buffer[], steps: readonly number[]) {
  const stored = new Map<string, Buffer>()
  const read: Tiles = ({ level, tile }) => stored.get(`${level}/${tile}`)
  let size = 0
  let root: Buffer = Buffer.alloc(0)
  for (const step of steps) {
    const tree = growTree(size, read)
    if (tree === undefined) throw new Error(`The edge of ${size} is missing.`)
    tree.add(Buffer.concat(leaves.slice(size, size + step)))
    for (const { level, tile, hashes } of [...tree.takeFull(), ...tree.partial()])
      stored.set(`${level}/${tile}`, hashes)
    size = tree.size()
    root = tree.root()
  }
  return { read, root, size, stored }
}

const sizes = [0, 1, 2, 3, 7, 8, 255, 256, 257, 300, 511, 512, 513, 1000, 65_535, 65_536, 65_537, 70_000]

test('a tree in tiles has the root of RFC 6962 at every size, however it grew', () => {
  for (const size of sizes) {
    const leaves = leavesOf(size)
    const whole = grown(leaves, [size])
    const steps = grown(
      leaves,
      [1, 254, 1, 300, 1, size].map((step) => Math.min(step, size)),
    )
    expect(whole.root, `${size}`).toEqual(treeRoot(leaves))
    expect(steps.size).toBe(size)
    expect(steps.root, `${size}`).toEqual(treeRoot(leaves))
    for (const [at, hashes] of whole.stored) expect(steps.stored.get(at)?.equals(hashes), at).toBe(true)
  }
})

test('tiles are those of the example in the specification', () => {
  const { stored } = grown(leavesOf(70_000), [70_000])
  const widths = (level: number) =>
    [...stored].filter(([at]) => at.startsWith(`${level}/`)).map(([, hashes]) => hashes.length / 32)
  expect(widths(0).filter((width) => width === 256)).toHaveLength(273)
  expect(widths(0).filter((width) => width < 256)).toEqual([112])
  expect(widths(1)).toEqual([256, 17])
  expect(widths(2)).toEqual([1])
  expect(edgeOf(70_000)).toEqual([
    { level: 0, tile: 273, width: 112 },
    { level: 1, tile: 1, width: 17 },
    { level: 2, tile: 0, width: 1 },
  ])
  expect(edgeOf(256)).toEqual([{ level: 1, tile: 0, width: 1 }])
})

describe('proofs from tiles', () => {
  const leaves = leavesOf(70_000)
  const { read } = grown(leaves, [70_000])
  const proof = (ranges: ReturnType<typeof inclusionRanges>) => ranges.map((range) => rangeRoot(read, range))

  test('of inclusion equal those from the leaves, for earlier sizes, too', () => {
    for (const size of [1, 2, 3, 255, 256, 257, 600, 65_537, 70_000])
      for (const index of new Set([0, 1, 254, 255, 256, size >> 1, size - 1].filter((at) => at < size))) {
        const made = proof(inclusionRanges(index, size))
        expect(made).toEqual(inclusionProof(leaves.slice(0, size), index))
        const leaf = leaves[index] ?? Buffer.alloc(0)
        const path = made.map((one) => one ?? Buffer.alloc(0))
        expect(rootFromInclusionProof({ index, size, leafHash: leaf, proof: path })).toEqual(rangeRoot(read, [0, size]))
      }
  })

  test('of consistency are valid between any two sizes', () => {
    for (const [size1, size2] of [
      [1, 2],
      [3, 7],
      [256, 257],
      [255, 70_000],
      [600, 1000],
      [65_536, 70_000],
      [70_000, 70_000],
    ] as const) {
      const made = proof(consistencyRanges(size1, size2)).map((one) => one ?? Buffer.alloc(0))
      expect(made).toEqual(consistencyProof(leaves.slice(0, size2), size1))
      const [root1, root2] = [treeRoot(leaves.slice(0, size1)), treeRoot(leaves.slice(0, size2))]
      expect(verifyConsistency({ size1, root1, size2, root2, proof: made })).toBe(true)
    }
  })

  test('are not built from a tile that is missing or too short', () => {
    const range = inclusionRanges(5, 600)
    const without =
      (gone: TileAt): Tiles =>
      (at) =>
        at.level === gone.level && at.tile === gone.tile ? undefined : read(at)
    for (const gone of tilesFor(range)) expect(range.map((one) => rangeRoot(without(gone), one))).toContain(undefined)
    const short: Tiles = (at) => read(at)?.subarray(0, 32)
    expect(range.map((one) => rangeRoot(short, one))).toContain(undefined)
    expect(growTree(600, () => undefined)).toBeUndefined()
  })

  test('of one in a million need at most five tiles', () => {
    for (const index of [0, 1, 255, 256, 123_456, 524_287, 524_288, 999_999])
      expect(tilesFor([[index, index + 1], ...inclusionRanges(index, 1_000_000)]).length).toBeLessThanOrEqual(5)
  })
})
