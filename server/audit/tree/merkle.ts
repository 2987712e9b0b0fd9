import { hash } from 'node:crypto'

/** SHA-256 of nothing: the root of a tree without leaves. */
export const emptyRoot: Buffer = hash('sha256', '', 'buffer')
export const hashBytes = 32
const leafPrefix = Buffer.of(0x00)

// Reused by every nodeHash (synchronous, so never shared): an allocation per node costs more than copying 64 bytes.
const nodeInput = Buffer.alloc(1 + 2 * hashBytes)
nodeInput[0] = 0x01

/** RFC 6962 §2.1: SHA-256(0x00 ‖ bytes). */
export function leafHash(bytes: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([leafPrefix, bytes]), 'buffer')
}

/** RFC 6962 §2.1: SHA-256(0x01 ‖ left ‖ right). Throws RangeError for a hash that is not 32 bytes. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  if (!isHash(left) || !isHash(right)) throw new RangeError('A node must have two hashes of 32 bytes.')
  nodeInput.set(left, 1)
  nodeInput.set(right, 1 + hashBytes)
  return Buffer.from(hash('sha256', nodeInput, 'binary'), 'binary')
}

/**
 * Replaces the hashes in the first `bytes` of `row` by those of their parents, in the first half of it. `bytes` is a
 * multiple of 64. A text of 32 characters costs a third of a Buffer for each hash.
 */
export function hashPairs(row: Buffer, bytes: number): void {
  for (let at = 0; at < bytes; at += 2 * hashBytes) {
    row.copy(nodeInput, 1, at, at + 2 * hashBytes)
    row.write(hash('sha256', nodeInput, 'binary'), at / 2, 'binary')
  }
}

/** Returns the root of the tree over `leafHashes` in order; SHA-256("") without leaves. */
export function treeRoot(leafHashes: readonly Uint8Array[]): Buffer {
  return rootOfRange(leafHashes, 0, leafHashes.length)
}

/** The same for the concatenated hashes in `row`, which is overwritten, at a third of the cost. */
export function rootOfRow(row: Buffer): Buffer {
  let count = row.length / hashBytes
  if (!Number.isInteger(count)) throw new RangeError('A row must contain whole hashes.')
  if (count === 0) return emptyRoot
  while (count > 1) {
    const pairs = Math.floor(count / 2)
    hashPairs(row, pairs * 2 * hashBytes)
    // An odd node at the end moves up a level unchanged.
    if (count % 2 === 1) row.copy(row, pairs * hashBytes, (count - 1) * hashBytes, count * hashBytes)
    count = pairs + (count % 2)
  }
  return Buffer.from(row.subarray(0, hashBytes))
}

/**
 * The compact range of a tree: roots of its perfect subtrees from left to right, one for each bit set in `size`.
 * All that is needed to add leaves without reading the earlier ones again.
 */
export type Frontier = { readonly size: number; readonly hashes: readonly Uint8Array[] }

export const emptyFrontier: Frontier = { size: 0, hashes: [] }

/** The frontier with one more leaf; the given one is not changed. Throws RangeError when it is malformed. */
export function append(frontier: Frontier, leaf: Uint8Array): Frontier {
  checkFrontier(frontier)
  if (!isHash(leaf)) throw new RangeError('A leaf hash must be 32 bytes.')
  const hashes = [...frontier.hashes]
  push(hashes, frontier.size, leaf)
  return { size: frontier.size + 1, hashes }
}

/** Returns the root of the tree that the frontier describes. Throws RangeError when it is malformed. */
export function rootOf(frontier: Frontier): Buffer {
  checkFrontier(frontier)
  return fold(frontier.hashes)
}

/**
 * A tree whose leaf hashes come one after the other, in hex: a text costs a third of a Buffer for each hash. `add` throws RangeError
 * for a hash that is not 32 bytes.
 */
export function growingTree(): { add(leaf: string): void; size(): number; root(): Buffer } {
  const hashes: string[] = []
  let size = 0
  return {
    add(leaf) {
      if (leaf.length !== 2 * hashBytes) throw new RangeError('A leaf hash must be 32 bytes.')
      let node = leaf
      for (let rest = size; rest % 2 === 1; rest = half(rest)) {
        nodeInput.write(hashes.pop() ?? '', 1, 'hex')
        nodeInput.write(node, 1 + hashBytes, 'hex')
        node = hash('sha256', nodeInput, 'hex')
      }
      hashes.push(node)
      size += 1
    },
    size: () => size,
    root: () => fold(hashes.map((one) => Buffer.from(one, 'hex'))),
  }
}

/**
 * Inclusion proof (RFC 9162 §2.1.3.1) of the leaf at `index`, the sibling nearest to the leaf first.
 * Hashes the whole tree once. Throws RangeError when the leaf does not exist.
 */
export function inclusionProof(leafHashes: readonly Uint8Array[], index: number): Buffer[] {
  if (!Number.isSafeInteger(index) || index < 0 || index >= leafHashes.length) {
    throw new RangeError(`Leaf ${index} does not exist in a tree of ${leafHashes.length}.`)
  }
  return inclusionRanges(index, leafHashes.length).map(([start, end]) => rootOfRange(leafHashes, start, end))
}

/** Leaves from `start` to before `end`: one subtree of an RFC 6962 tree. */
export type LeafRange = readonly [start: number, end: number]

/** The subtrees whose roots make an inclusion proof, in its order. */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  const ranges: LeafRange[] = []
  let [start, end] = [0, size]
  while (end - start > 1) {
    const middle = start + leftSize(end - start)
    ranges.push(index < middle ? [middle, end] : [start, middle])
    if (index < middle) end = middle
    else start = middle
  }
  return ranges.reverse()
}

/** The subtrees whose roots make a consistency proof from `size1` to `size2`, in its order. 1 ≤ size1 ≤ size2. */
export function consistencyRanges(size1: number, size2: number): LeafRange[] {
  const ranges: LeafRange[] = []
  let [start, end] = [0, size2]
  while (end !== size1) {
    const middle = start + leftSize(end - start)
    ranges.push(size1 <= middle ? [middle, end] : [start, middle])
    if (size1 <= middle) end = middle
    else start = middle
  }
  // A subtree that starts at 0 is the earlier tree itself, whose root the verifier already has.
  if (start > 0) ranges.push([start, end])
  return ranges.reverse()
}

export type InclusionProof = { index: number; size: number; leafHash: Uint8Array; proof: readonly Uint8Array[] }

/**
 * The root that the proof leads to (RFC 9162 §2.1.3.2), for the caller to compare; undefined when malformed.
 * A proof binds the leaf's path, which trees of several sizes share: take `size` and the root to compare with
 * from one and the same signed checkpoint.
 */
export function rootFromInclusionProof({ index, size, leafHash, proof }: InclusionProof): Buffer | undefined {
  if (!isCount(index) || !isCount(size) || index >= size) return undefined
  if (![leafHash, ...proof].every(isHash)) return undefined
  let node = index
  let last = size - 1
  let root: Buffer = Buffer.from(leafHash)
  for (const sibling of proof) {
    if (last === 0) return undefined
    if (node % 2 === 1 || node === last) {
      root = nodeHash(sibling, root)
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)]
    } else {
      root = nodeHash(root, sibling)
    }
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 ? root : undefined
}

/**
 * Proof that the tree of the first `size` leaves is a prefix of the whole (RFC 9162 §2.1.4.1); empty when it is the whole.
 * Throws RangeError unless 1 ≤ size ≤ number of leaves: a proof from the empty tree would say nothing.
 */
export function consistencyProof(leafHashes: readonly Uint8Array[], size: number): Buffer[] {
  if (!Number.isSafeInteger(size) || size < 1 || size > leafHashes.length) {
    throw new RangeError(`A consistency proof from size ${size} to ${leafHashes.length} does not exist.`)
  }
  return consistencyRanges(size, leafHashes.length).map(([start, end]) => rootOfRange(leafHashes, start, end))
}

export type ConsistencyProof = {
  size1: number
  root1: Uint8Array
  size2: number
  root2: Uint8Array
  proof: readonly Uint8Array[]
}

/** Whether the tree (size2, root2) extends (size1, root1) (RFC 9162 §2.1.4.2). False for malformed input and for size 0. */
export function verifyConsistency({ size1, root1, size2, root2, proof }: ConsistencyProof): boolean {
  if (!isCount(size1) || !isCount(size2) || size1 === 0 || size1 > size2) return false
  if (![root1, root2, ...proof].every(isHash)) return false
  if (size1 === size2) return proof.length === 0 && same(root1, root2)
  const [seed, ...rest] = isPowerOfTwo(size1) ? [root1, ...proof] : proof
  if (seed === undefined || proof.length === 0) return false
  let node = size1 - 1
  let last = size2 - 1
  while (node % 2 === 1) [node, last] = [half(node), half(last)]
  let earlier: Buffer = Buffer.from(seed)
  let later: Buffer = Buffer.from(seed)
  for (const sibling of rest) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      earlier = nodeHash(sibling, earlier)
      later = nodeHash(sibling, later)
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)]
    } else {
      later = nodeHash(later, sibling)
    }
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 && same(earlier, root1) && same(later, root2)
}

function rootOfRange(leafHashes: readonly Uint8Array[], start: number, end: number): Buffer {
  const hashes: Uint8Array[] = []
  for (let index = start; index < end; index++) {
    const leaf = leafHashes[index]
    if (leaf === undefined || !isHash(leaf)) throw new RangeError(`Leaf hash ${index} is not 32 bytes.`)
    push(hashes, index - start, leaf)
  }
  return fold(hashes)
}

/** Adds a leaf to the frontier `hashes` of `size` leaves: every trailing 1 of `size` is a subtree that is now full. */
function push(hashes: Uint8Array[], size: number, leaf: Uint8Array): void {
  let node = leaf
  for (let rest = size; rest % 2 === 1; rest = half(rest)) {
    const left = hashes.pop()
    if (left === undefined) throw new RangeError('The frontier has too few hashes for its size.')
    node = nodeHash(left, node)
  }
  hashes.push(node)
}

function fold(hashes: readonly Uint8Array[]): Buffer {
  const root = hashes.reduceRight<Uint8Array | undefined>(
    (right, left) => (right ? nodeHash(left, right) : left),
    undefined,
  )
  return Buffer.from(root ?? emptyRoot)
}

function checkFrontier({ size, hashes }: Frontier): void {
  if (!isCount(size) || hashes.length !== bitsSet(size) || !hashes.every(isHash)) {
    throw new RangeError(`A frontier of ${size} leaves must have one hash of 32 bytes for each bit set in its size.`)
  }
}

function bitsSet(size: number): number {
  let bits = 0
  for (let rest = size; rest > 0; rest = half(rest)) bits += rest % 2
  return bits
}

/** Leaves in the left subtree of a tree of `size` > 1: the largest power of two below `size`. */
function leftSize(size: number): number {
  let left = 1
  while (left * 2 < size) left *= 2
  return left
}

const half = (value: number): number => Math.floor(value / 2)
const isPowerOfTwo = (size: number): boolean => bitsSet(size) === 1
const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0
const isHash = (value: Uint8Array): boolean => value.byteLength === hashBytes
const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0
