import type { Transaction } from '#server/kernel/db/database.ts'
import { type Checks, check } from './check.ts'
import type { NoteReader } from './checkpoint-note.ts'
import { sealLog } from './log-name.ts'
import { leafHash, rootFromInclusionProof } from './merkle.ts'
import { daySeal } from './seal-proof.ts'
import { parseNote } from './signed-note.ts'
import { findDay, findLatestCheckpoint, type LogOwner } from './store.ts'

const graceMs = 60_000

/** That a closed day is a leaf of the signed seal log, as its last checkpoint says it. No check while the day goes on. */
export async function checkSeal(tx: Transaction, tenant: LogOwner, date: string, read: NoteReader): Promise<Checks> {
  const seal = await daySeal(tx, tenant.id, date)
  if (seal === undefined) {
    const closedAt = (await findDay(tx, tenant.id, date))?.sealedAt
    // It is taken up right after it is closed.
    if (closedAt == null || Date.now() - closedAt.getTime() < graceMs) return []
    return [check('sealLog', false, '', `${date} is closed, and the signed seal log does not say so.`)]
  }
  const { index, size, root, entry } = seal
  const last = await findLatestCheckpoint(tx, tenant.id, date)
  const reached =
    seal.proof && rootFromInclusionProof({ index, size, leafHash: leafHash(Buffer.from(entry)), proof: seal.proof })
  const note = read(sealLog, seal.note)
  const signed = note.ok && note.checkpoint.size === size && root.equals(note.checkpoint.root)
  const same = last !== undefined && read(date, last.note).ok && parseNote(last.note).text === entry
  const holds = same && reached?.equals(root) === true && signed
  return [
    check(
      'sealLog',
      holds,
      `The last checkpoint of ${date} is entry ${index} of ${size} in the signed seal log.`,
      `The last checkpoint of ${date} is not what entry ${index} of the signed seal log says.`,
    ),
  ]
}
