import { createHash, hash } from 'node:crypto'
import { MerkleTree } from 'merkletreejs'
import { signTenant } from '#server/audit/sealing/sign-tenant.ts'
import { findLatestCheckpoint } from '#server/audit/store.ts'
import { inclusionRanges, rootFromInclusionProof } from '#server/audit/tree/merkle.ts'
import { growTree, rangeRoot, type Tile, type Tiles, tilesFor } from '#server/audit/tree/tiles.ts'
import { provenLeaf } from '#server/audit/tree/tree.ts'
import { testTenant } from '#server/testing/tenant.ts'
import type { Lab } from '../lab.ts'
import type { comparer, Side } from '../measure.ts'
import { cpuSeconds } from '../procfs.ts'
import { type Figure, figure, number, ratioFigure } from '../report.ts'
import { seedDay } from '../seed-day.ts'

const leavesOf = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, index) => hash('sha256', `${index}`, 'buffer'))

const sha256 = (data: Buffer): Buffer => createHash('sha256').update(data).digest()

/** The whole tree with everything that later proofs need: tiles in ours, layers in the peer. */
function build(leaves: Buffer): { root: Buffer; tiles: Tiles } {
  const tree = growTree(0, () => undefined)
  if (tree === undefined) throw new Error('An empty tree does not have an edge.')
  tree.add(leaves)
  const stored = new Map<string, Tile>()
  for (const tile of [...tree.takeFull(), ...tree.partial()]) stored.set(`${tile.level}/${tile.tile}`, tile)
  return { root: tree.root(), tiles: ({ level, tile }) => stored.get(`${level}/${tile}`)?.hashes }
}

const side = (name: string, units: number, once: (turn: number) => unknown): Side => ({
  name,
  database: false,
  async run(deadline) {
    let done = 0
    let turn = 0
    do {
      once(turn++)
      done += units
    } while (performance.now() < deadline)
    return done
  },
})

export async function merkle(
  lab: Lab,
  postmaster: number,
  compare: ReturnType<typeof comparer>,
  full: boolean,
): Promise<Figure[]> {
  const count = full ? 1e6 : 1e5
  const leaves = leavesOf(count)
  const bytes = Buffer.concat(leaves)
  const roots = await compare(
    side('merkletreejs', count, () => new MerkleTree(leaves).getRoot()),
    side('countersign', count, () => build(bytes).root),
  )
  const native = await compare(
    side('merkletreejs', count, () => new MerkleTree(leaves, sha256).getRoot()),
    side('countersign', count, () => build(bytes).root),
  )
  const theirs = new MerkleTree(leaves)
  const { tiles, root } = build(bytes)
  const indexes = Array.from({ length: 1000 }, (_, turn) => (turn * 7919) % count)
  const at = (turn: number) => indexes[turn % indexes.length] ?? 0
  const prove = (index: number) => inclusionRanges(index, count).map((range) => rangeRoot(tiles, range))
  const proofs = await compare(
    side('merkletreejs', 1, (turn) => theirs.getProof(leaves[at(turn)] ?? bytes)),
    side('countersign', 1, (turn) => prove(at(turn))),
  )
  const path = prove(at(5)).flatMap((one) => one ?? [])
  const leafHash = leaves[at(5)] ?? bytes
  if (rootFromInclusionProof({ index: at(5), size: count, leafHash, proof: path })?.equals(root) !== true)
    throw new Error('The proof does not lead to the root.')
  const limit = 32 * Math.ceil(Math.log2(count))
  return [
    ratioFigure(
      {
        case: 10,
        job: `tree of ${number(count)} records`,
        unit: 'leaves/CPU s',
        least: 20,
        limit: 'crypto.hash 2 M/s',
        note: 'peer: called as in its README',
      },
      roots,
    ),
    ratioFigure(
      { case: 10, job: 'the same', unit: 'leaves/CPU s', least: undefined, note: 'peer: with the hash of node:crypto' },
      native,
    ),
    ratioFigure(
      {
        case: 10,
        job: `inclusion proof among ${number(count)}`,
        unit: '/CPU s',
        least: 15,
        limit: 'crypto.hash 2 M/s',
        note: 'from tiles; peer: by the leaf, called as in its README',
      },
      proofs,
    ),
    figure({
      case: 10,
      job: `bytes of a proof among ${number(count)}`,
      ours: `${32 * path.length} bytes`,
      target: `≤ ${limit} bytes`,
      met: 32 * path.length <= limit ? 'yes' : 'no',
      note: 'a counter',
    }),
    ...(await sealing(lab, postmaster, full ? 1e6 : 1e5)),
  ]
}

/** Closes a whole day in one step, including the database's part: the work that remains if nothing was signed during the day. */
async function sealing({ runtime, owner }: Lab, postmaster: number, count: number): Promise<Figure[]> {
  const tenant = await testTenant(runtime)
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  await seedDay({ tenant, owner }, yesterday, count)
  await owner.query('vacuum analyze audit_records')
  const before = { node: process.cpuUsage(), database: cpuSeconds([postmaster], []) }
  await signTenant(tenant.id)
  const { user, system } = process.cpuUsage(before.node)
  const node = (user + system) / 1e6
  const database = cpuSeconds([postmaster], []) - before.database
  const { pages, size } = await runtime.database.inTenant(tenant.id, async (tx) => {
    const last = await findLatestCheckpoint(tx, tenant.id, yesterday)
    const index = Math.floor(count / 3)
    if ((await provenLeaf(tx, { tenantId: tenant.id, name: yesterday }, index, last?.size ?? 0)) === undefined)
      throw new Error('The day was not closed.')
    return { pages: tilesFor([[index, index + 1], ...inclusionRanges(index, count)]).length, size: last?.size }
  })
  if (size !== count) throw new Error(`The day was closed with ${size} of ${count} records.`)
  return [
    figure({
      case: 10,
      job: `${number(count)} records sealed`,
      ours: `${number(node + database)} CPU s`,
      ...(count < 1e6 ? {} : { target: '≤ 3 CPU s', met: node + database <= 3 ? 'yes' : 'no' }),
      note: `${number(node)} in the server, ${number(database)} in PostgreSQL, once`,
    }),
    figure({
      case: 10,
      job: `tile rows of a proof among ${number(count)}`,
      ours: `${pages} rows`,
      target: '≤ 5 rows',
      met: pages <= 5 ? 'yes' : 'no',
      note: 'a counter',
    }),
  ]
}
