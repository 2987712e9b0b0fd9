import type { NoteReader } from '#server/audit/notes/checkpoint-note.ts'
import { dayHead } from '#server/audit/sealing/day-head.ts'
import { sealLog } from '#server/audit/sealing/log-name.ts'
import { entryOf } from '#server/audit/sealing/memory/open-memory.ts'
import { whyFoundBroken } from '#server/audit/sealing/why-contradicted.ts'
import { findDay, type LogOwner } from '#server/audit/store.ts'
import { leafHash, rootFromInclusionProof } from '#server/audit/tree/merkle.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type Checks, check } from './check-line.ts'

const graceMs = 60_000

/**
 * Checks that the last checkpoint of a closed day is a leaf of the signed seal log, and that no row contradicts what the
 * signer remembers outside the database. An open day is not a leaf yet.
 */
export async function checkSeal(tx: Transaction, tenant: LogOwner, date: string, read: NoteReader): Promise<Checks> {
  const { checkpoint: last, seal, ...head } = await dayHead(tx, tenant, date)
  const contradicted = head.contradicted ?? (await whyFoundBroken(tx, tenant, date))
  if (contradicted !== undefined) return [check('sealLog', false, '', contradicted)]
  if (seal === undefined) {
    const closedAt = (await findDay(tx, tenant.id, date))?.sealedAt
    // The seal log adds a day right after it is closed.
    if (closedAt == null || Date.now() - closedAt.getTime() < graceMs) return []
    return [check('sealLog', false, '', `${date} is closed, but the signed seal log does not contain it.`)]
  }
  const { index, size, root, entry } = seal
  const reached =
    seal.proof && rootFromInclusionProof({ index, size, leafHash: leafHash(Buffer.from(entry)), proof: seal.proof })
  const note = read(sealLog, seal.note)
  const signed = note.ok && note.checkpoint.size === size && root.equals(note.checkpoint.root)
  const same = last !== undefined && read(date, last.note).ok && entryOf(last.note) === entry
  const holds = same && reached?.equals(root) === true && signed
  return [
    check(
      'sealLog',
      holds,
      `The last checkpoint of ${date} is entry ${index} of ${size} in the signed seal log.`,
      `The last checkpoint of ${date} does not match entry ${index} of the signed seal log.`,
    ),
  ]
}
