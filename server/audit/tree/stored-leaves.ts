import { LogRefused } from '#server/audit/sealing/log-refused.ts'
import { findLeaves } from '#server/audit/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { growTree, tileWidth } from './tiles.ts'

/** The number of hashes that one statement reads: half a megabyte. */
const leavesPerRead = 64 * tileWidth

/** The leaf hashes of records `from` to before `to` of a day, in pieces. Throws LogRefused when one is missing. */
export async function* storedLeaves(
  tx: Transaction,
  tenantId: string,
  date: string,
  from: number,
  to: number,
): AsyncGenerator<Buffer> {
  for (let at = from; at < to; at += leavesPerRead) {
    const leaves = await findLeaves(tx, tenantId, date, at, Math.min(to, at + leavesPerRead))
    if (leaves === undefined)
      throw new LogRefused(`The log of ${date} should have ${to} records, but some of them are missing.`)
    yield leaves
  }
}

/** The root over the stored records of a day, tiles aside. Throws LogRefused when one is missing. */
export async function storedRoot(tx: Transaction, tenantId: string, date: string, size: number): Promise<Buffer> {
  const tree = growTree(0, () => undefined)
  if (tree === undefined) throw new Error('unreachable: an empty tree does not have an edge')
  for await (const leaves of storedLeaves(tx, tenantId, date, 0, size)) {
    tree.add(leaves)
    tree.takeFull()
  }
  return tree.root()
}
