import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { auditLeaf, auditLeafHash, recordDigest } from '#server/kernel/audit/record.ts'
import {
  append,
  consistencyProof,
  emptyFrontier,
  type Frontier,
  growingTree,
  inclusionProof,
  leafHash,
  nodeHash,
  rootFromInclusionProof,
  rootOf,
  rootOfRow,
  treeRoot,
  verifyConsistency,
} from './merkle.ts'

type Vectors = { leavesHex: string[]; rootsHexBySize: string[]; hashes: Record<string, string> }
const vectors: Vectors = JSON.parse(
  readFileSync(new URL('../vectors/merkle/rfc6962-8-leaves.json', import.meta.url), 'utf8'),
)

const maxSize = 64
const leaves = Array.from({ length: maxSize }, (_, index) => leafHash(Buffer.from(`leaf ${index}`)))
const roots = Array.from({ length: maxSize + 1 }, (_, size) => definedRoot(leaves.slice(0, size)))
const eachSize = Array.from({ length: maxSize }, (_, index) => index + 1)

/** The recursive definition of RFC 6962 §2.1, as the reference for the iterative code. */
function definedRoot(hashes: readonly Buffer[]): Buffer {
  const [first] = hashes
  if (!first) return Buffer.from(vectors.rootsHexBySize[0] ?? '', 'hex')
  if (hashes.length === 1) return first
  const left = 2 ** Math.ceil(Math.log2(hashes.length) - 1)
  return nodeHash(definedRoot(hashes.slice(0, left)), definedRoot(hashes.slice(left)))
}

/** The sides taken from the root to a leaf, such as "LLR", after the same definition. */
function pathOf(index: number, size: number): string {
  if (size === 1) return ''
  const left = 2 ** Math.ceil(Math.log2(size) - 1)
  return index < left ? `L${pathOf(index, left)}` : `R${pathOf(index - left, size - left)}`
}

const frontierOf = (hashes: readonly Buffer[]): Frontier => hashes.reduce<Frontier>(append, emptyFrontier)
const root = (size: number): Buffer => roots[size] ?? Buffer.alloc(0)
const leaf = (index: number): Buffer => leaves[index] ?? Buffer.alloc(0)

/** Every number that differs from `value` in one of its lowest eight bits. */
const flippedNumbers = (value: number): number[] => Array.from({ length: 8 }, (_, bit) => value ^ (1 << bit))

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return copy
}

const everyBit = Array.from({ length: 256 }, (_, bit) => bit)
/** Every bit in the smaller trees and in the full one; one bit in 32 of each hash in those between, to save time. */
const bitsFor = (size: number) =>
  size <= 16 || size === maxSize ? everyBit : everyBit.filter((bit) => bit % 32 === size % 32)

/** `proof` with one bit flipped in one of its hashes, for each of `bits` in every hash. */
function* flippedProofs(proof: readonly Buffer[], bits: readonly number[]): Generator<Buffer[]> {
  for (const [place, hash] of proof.entries()) for (const bit of bits) yield proof.with(place, flipped(hash, bit))
}

describe('published values', () => {
  const published = vectors.leavesHex.map((hex) => leafHash(Buffer.from(hex, 'hex')))

  test('the roots of sizes 0 to 8, at once and leaf by leaf', () => {
    expect(vectors.rootsHexBySize).toHaveLength(9)
    for (const [size, hex] of vectors.rootsHexBySize.entries()) {
      expect(treeRoot(published.slice(0, size)).toString('hex')).toBe(hex)
      expect(rootOf(frontierOf(published.slice(0, size))).toString('hex')).toBe(hex)
    }
  })

  test('single leaf and empty tree', () => {
    expect(leafHash(Buffer.alloc(0)).toString('hex')).toBe(vectors.hashes.emptyLeaf)
    expect(leafHash(Buffer.from('L123456')).toString('hex')).toBe(vectors.hashes['leaf("L123456")'])
    expect(treeRoot([]).toString('hex')).toBe(vectors.hashes.empty)
  })
})

test('roots up to 64 leaves follow the recursive definition', () => {
  for (const size of [0, ...eachSize]) {
    expect(treeRoot(leaves.slice(0, size))).toEqual(root(size))
    expect(rootOf(frontierOf(leaves.slice(0, size)))).toEqual(root(size))
  }
})

describe('inclusion', () => {
  const cases = eachSize.flatMap((size) =>
    Array.from({ length: size }, (_, index) => ({ index, size, proof: inclusionProof(leaves.slice(0, size), index) })),
  )

  test('every leaf of every size up to 64 has a valid proof of exactly the needed hashes', () => {
    for (const { index, size, proof } of cases) {
      const claim = { index, size, leafHash: leaf(index), proof }
      expect(rootFromInclusionProof(claim)).toEqual(root(size))
      expect(rootFromInclusionProof({ ...claim, proof: [...proof, leaf(0)] })).toBeUndefined()
      if (size > 1) expect(rootFromInclusionProof({ ...claim, proof: proof.slice(1) })).not.toEqual(root(size))
    }
  })

  test('every single-bit flip in the leaf or in the index fails', () => {
    let tried = 0
    let failed = 0
    for (const { index, size, proof } of cases) {
      const claim = { index, size, leafHash: leaf(index), proof }
      const wrong = [
        ...bitsFor(size).map((bit) => ({ ...claim, leafHash: flipped(leaf(index), bit) })),
        ...flippedNumbers(index).map((other) => ({ ...claim, index: other })),
      ]
      tried += wrong.length
      for (const each of wrong) if (!rootFromInclusionProof(each)?.equals(root(size))) failed++
    }
    expect(tried).toBeGreaterThan(80_000)
    expect(failed).toBe(tried)
  })

  test('every single-bit flip in the proof fails', () => {
    let tried = 0
    let failed = 0
    for (const { index, size, proof } of cases) {
      for (const wrong of flippedProofs(proof, bitsFor(size))) {
        tried++
        if (!rootFromInclusionProof({ index, size, leafHash: leaf(index), proof: wrong })?.equals(root(size))) failed++
      }
    }
    expect(tried).toBeGreaterThan(300_000)
    expect(failed).toBe(tried)
  }, 30_000)

  test('a single-bit flip in the size fails wherever that size gives the leaf another path', () => {
    // If the path is the same, so is the result: only the signed checkpoint distinguishes such sizes.
    for (const { index, size, proof } of cases) {
      for (const other of flippedNumbers(size)) {
        const found = rootFromInclusionProof({ index, size: other, leafHash: leaf(index), proof })
        const samePath = index < other && pathOf(index, other) === pathOf(index, size)
        expect(found?.equals(root(size)) ?? false).toBe(samePath)
      }
    }
  })

  test.each([
    ['an index past the end', { index: 5 }],
    ['a negative index', { index: -1 }],
    ['a fraction', { index: 0.5 }],
    ['size 0', { index: 0, size: 0 }],
    ['a size beyond 2^53', { size: 2 ** 54 }],
    ['a leaf of 31 bytes', { leafHash: Buffer.alloc(31) }],
    ['a proof with a hash of 33 bytes', { proof: [leaf(0), leaf(1), Buffer.alloc(33)] }],
  ])('%s is malformed', (_name, change) => {
    const claim = { index: 2, size: 5, leafHash: leaf(2), proof: inclusionProof(leaves.slice(0, 5), 2) }
    expect(rootFromInclusionProof(claim)).toEqual(root(5))
    expect(rootFromInclusionProof({ ...claim, ...change })).toBeUndefined()
  })

  test('sizes beyond 32 bits are counted without wrapping', () => {
    const proof = Array.from({ length: 40 }, (_, index) => leaf(index))
    const expected = proof.reduce((left, right) => nodeHash(left, right), leaf(50))
    expect(rootFromInclusionProof({ index: 0, size: 2 ** 40, leafHash: leaf(50), proof })).toEqual(expected)
    expect(rootFromInclusionProof({ index: 0, size: 2 ** 8, leafHash: leaf(50), proof })).toBeUndefined()
  })

  test('of a leaf that does not exist throws', () => {
    expect(() => inclusionProof(leaves.slice(0, 3), 3)).toThrow(RangeError)
    expect(() => inclusionProof([], 0)).toThrow(RangeError)
  })
})

describe('consistency', () => {
  const cases = eachSize.flatMap((size2) =>
    eachSize
      .filter((size1) => size1 <= size2)
      .map((size1) => ({
        size1,
        root1: root(size1),
        size2,
        root2: root(size2),
        proof: consistencyProof(leaves.slice(0, size2), size1),
      })),
  )

  test('every pair of sizes up to 64 proves; a flipped root, a longer and a shorter proof fail', () => {
    for (const claim of cases) {
      expect(verifyConsistency(claim)).toBe(true)
      expect(verifyConsistency({ ...claim, proof: [...claim.proof, leaf(0)] })).toBe(false)
      if (claim.proof.length > 0) expect(verifyConsistency({ ...claim, proof: claim.proof.slice(0, -1) })).toBe(false)
      for (const bit of [0, 100, 255]) {
        expect(verifyConsistency({ ...claim, root1: flipped(claim.root1, bit) })).toBe(false)
        expect(verifyConsistency({ ...claim, root2: flipped(claim.root2, bit) })).toBe(false)
      }
    }
  })

  test('every single-bit flip in the proof fails', () => {
    let tried = 0
    let held = 0
    for (const claim of cases) {
      for (const proof of flippedProofs(claim.proof, claim.size2 <= 8 ? everyBit : bitsFor(claim.size1 + maxSize))) {
        tried++
        if (verifyConsistency({ ...claim, proof })) held++
      }
    }
    expect(tried).toBeGreaterThan(80_000)
    expect(held).toBe(0)
  }, 30_000)

  test('size 0, swapped sizes and hashes of another length are refused', () => {
    const claim = { size1: 5, root1: root(5), size2: 8, root2: root(8), proof: consistencyProof(leaves.slice(0, 8), 5) }
    expect(verifyConsistency(claim)).toBe(true)
    expect(verifyConsistency({ ...claim, size1: 0, root1: root(0), proof: [] })).toBe(false)
    expect(verifyConsistency({ size1: 0, root1: root(0), size2: 0, root2: root(0), proof: [] })).toBe(false)
    expect(verifyConsistency({ ...claim, size1: 8, root1: root(8), size2: 5, root2: root(5) })).toBe(false)
    expect(verifyConsistency({ ...claim, root1: claim.root1.subarray(1) })).toBe(false)
    expect(verifyConsistency({ ...claim, proof: [...claim.proof.slice(0, -1), Buffer.alloc(33)] })).toBe(false)
    expect(() => consistencyProof(leaves, 0)).toThrow(RangeError)
    expect(() => consistencyProof(leaves, maxSize + 1)).toThrow(RangeError)
  })

  test('two different trees of one size are not consistent', () => {
    expect(verifyConsistency({ size1: 4, root1: root(4), size2: 4, root2: root(5), proof: [] })).toBe(false)
  })
})

describe('frontier', () => {
  test('append does not change the given frontier', () => {
    const before = frontierOf(leaves.slice(0, 7))
    const copy = structuredClone(before)
    append(before, leaf(7))
    expect(before.size).toBe(copy.size)
    expect(before.hashes.map((hash) => Buffer.from(hash))).toEqual(copy.hashes.map((hash) => Buffer.from(hash)))
  })

  test('one that does not fit its size is refused', () => {
    expect(() => append({ size: 3, hashes: [leaf(0)] }, leaf(1))).toThrow(RangeError)
    expect(() => rootOf({ size: 1, hashes: [] })).toThrow(RangeError)
    expect(() => rootOf({ size: 1, hashes: [Buffer.alloc(31)] })).toThrow(RangeError)
    expect(() => append(emptyFrontier, Buffer.alloc(31))).toThrow(RangeError)
    expect(() => treeRoot([leaf(0), Buffer.alloc(33)])).toThrow(RangeError)
  })
})

test('an audit leaf is hashed as this tree hashes leaves', () => {
  const fields = {
    auditId: '01890000-0000-7000-8000-000000000001',
    date: '2026-11-20',
    digest: recordDigest(Buffer.alloc(32), {}),
    seq: 0,
    tenant: 'northwind',
    type: 'approval.approve',
  }
  expect(auditLeafHash(fields)).toEqual(leafHash(auditLeaf(fields)))
})

test('a tree that grows by hashes in hex has the root of the tree over them, at any size', () => {
  const leaves = Array.from({ length: 70 }, (_, index) => leafHash(Buffer.from(String(index))))
  const tree = growingTree()
  expect(tree.root()).toEqual(treeRoot([]))
  for (const [index, leaf] of leaves.entries()) {
    tree.add(leaf.toString('hex'))
    expect(tree.size()).toBe(index + 1)
    expect(tree.root()).toEqual(treeRoot(leaves.slice(0, index + 1)))
  }
  expect(() => tree.add('ab'.repeat(31))).toThrow(RangeError)
})

test('a row of hashes has the root of the tree over them, at any size', () => {
  const leaves = Array.from({ length: 70 }, (_, index) => leafHash(Buffer.from(String(index))))
  for (let size = 0; size <= leaves.length; size++)
    expect(rootOfRow(Buffer.concat(leaves.slice(0, size)))).toEqual(treeRoot(leaves.slice(0, size)))
  expect(() => rootOfRow(Buffer.alloc(33))).toThrow(RangeError)
})
