import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { AuditProof } from '#lib/schemas/audit.ts'
import { climb, leafOf } from './ladder.ts'

// RFC 6962 test vectors of transparency-dev/merkle: eight leaves and the root of each prefix.
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

const sha = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
const leafHashes = LEAVES.map((leaf) => sha(Buffer.of(0), Buffer.from(leaf, 'hex')))

/** By the definition of RFC 6962, 2.1: split at the largest power of two below the size. */
function rootOf(hashes: Buffer[]): Buffer {
  const [only] = hashes
  if (hashes.length === 1 && only !== undefined) return only
  const middle = 2 ** Math.floor(Math.log2(hashes.length - 1))
  return sha(Buffer.of(1), rootOf(hashes.slice(0, middle)), rootOf(hashes.slice(middle)))
}

/** RFC 6962, 2.1.1, the sibling nearest to the leaf first. */
function pathOf(index: number, hashes: Buffer[]): string[] {
  if (hashes.length === 1) return []
  const middle = 2 ** Math.floor(Math.log2(hashes.length - 1))
  const [left, right] = [hashes.slice(0, middle), hashes.slice(middle)]
  return index < middle
    ? [...pathOf(index, left), rootOf(right).toString('hex')]
    : [...pathOf(index - middle, right), rootOf(left).toString('hex')]
}

test('every leaf of every tree leads to the root of the vectors', async () => {
  for (let size = 1; size <= 8; size++) {
    const hashes = leafHashes.slice(0, size)
    for (let index = 0; index < size; index++) {
      const leaf = hashes[index]?.toString('hex') ?? ''
      const ladder = await climb({ index, size, leaf, siblings: pathOf(index, hashes) })
      expect(ladder?.root, `leaf ${index} of ${size}`).toBe(ROOTS[size - 1])
    }
  }
})

test('a changed leaf leads to a different root', async () => {
  const siblings = pathOf(3, leafHashes)
  const ladder = await climb({ index: 3, size: 8, leaf: '00'.repeat(32), siblings })
  expect(ladder?.rungs).toHaveLength(3)
  expect(ladder?.root).not.toBe(ROOTS[7])
})

test('rejects a path that is too short or too long', async () => {
  const siblings = pathOf(3, leafHashes)
  const leaf = leafHashes[3]?.toString('hex') ?? ''
  expect(await climb({ index: 3, size: 8, leaf, siblings: siblings.slice(1) })).toBeUndefined()
  expect(await climb({ index: 3, size: 8, leaf, siblings: [...siblings, leaf] })).toBeUndefined()
  expect(await climb({ index: 8, size: 8, leaf, siblings })).toBeUndefined()
})

const proof = (record: AuditProof['record']): AuditProof => ({
  record,
  tenant: 'org-1',
  auditId: '0198c000-0000-7000-8000-000000000001',
  date: '2026-11-20',
  nonce: 'ab'.repeat(32),
  digest: '',
  leafIndex: 4,
  seal: 'pending',
  merkleRoot: null,
  treeSize: null,
  inclusionProof: null,
  checkpoint: null,
  sealLog: null,
  tlogProof: null,
  sealTlogProof: null,
})

test('the leaf commits to record, nonce, position and tenant, in the form that the log writes', async () => {
  const record = { action: 'approval.approve', at: '2026-11-20T13:00:00.000Z' }
  const canonical = '{"action":"approval.approve","at":"2026-11-20T13:00:00.000Z"}'
  const digest = sha(Buffer.from('agcp.audit.record.v1\n'), Buffer.from('ab'.repeat(32), 'hex'), Buffer.from(canonical))
  const leaf = `{"auditId":"0198c000-0000-7000-8000-000000000001","date":"2026-11-20","digest":"sha256:${digest.toString('hex')}","seq":4,"tenant":"org-1","type":"approval.approve","v":1}`
  expect(await leafOf(proof(record))).toBe(sha(Buffer.of(0), Buffer.from(leaf)).toString('hex'))
})

test('returns no leaf for a record that the log never writes', async () => {
  expect(await leafOf(proof('odd'))).toBeUndefined()
  expect(await leafOf(proof({ at: 'x' }))).toBeUndefined()
})
