import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scansOf, statementsOf } from '#server/testing/statements.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { rootFromInclusionProof } from './merkle.ts'
import { extendTree, type Log, provenLeaf } from './tree.ts'

// The cost of a path in the database: rows that PostgreSQL reports for a day of a million records.

const size = 1_000_000
const hashBytes = 32
let runtime: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let log: Log
let leaves: Buffer
let root: Buffer
beforeAll(async () => {
  runtime = await testRuntime()
  tenant = await testTenant(runtime)
  log = { tenantId: tenant.id, name: '2026-01-02' }
  leaves = randomBytes(size * hashBytes)
  const grown = await runtime.database.inTenant(tenant.id, (tx) => extendTree(tx, log, 0, [leaves]))
  expect(grown?.size).toBe(size)
  root = grown?.root ?? Buffer.alloc(0)
}, 180_000)
afterAll(() => runtime.close())

const edges = [0, 1, 255, 256, 65_535, 65_536, 524_287, 524_288, 983_039, 983_040, 999_935, 999_936, 999_999]

test('a valid inclusion proof among a million leaves takes one read of at most five rows of tiles', async () => {
  const indices = [...edges, ...Array.from({ length: 50 }, (_, index) => (index * 19_937 + 7) % size)]
  await runtime.database.inTenant(tenant.id, async (tx) => {
    for (const index of indices) {
      let found: Awaited<ReturnType<typeof provenLeaf>>
      const statements = await statementsOf(async () => {
        found = await provenLeaf(tx, log, index, size)
      })
      expect(statements).toHaveLength(1)
      const [statement] = statements
      if (statement === undefined || found === undefined) throw new Error(`Leaf ${index} does not have a path.`)
      const scans = await scansOf(tx, statement)
      expect(scans.map(({ relation }) => relation)).toEqual(['audit_tiles'])
      expect(scans[0]?.rows, String(index)).toBeLessThanOrEqual(5)
      expect(found.leafHash).toEqual(leaves.subarray(index * hashBytes, (index + 1) * hashBytes))
      expect(rootFromInclusionProof({ index, size, ...found })).toEqual(root)
      expect(found.proof.length).toBeLessThanOrEqual(20)
    }
  })
}, 180_000)
