import { type Archive, archiveOf } from './archive.ts'
import {
  type Bytes,
  canonical,
  concat,
  encode,
  fromHex,
  hex,
  type Json,
  member,
  parseLine,
  sha256OfText,
} from './bytes.ts'
import type { Source } from './container/source.ts'
import { openZip } from './container/zip.ts'
import { leafReader } from './log.ts'
import { leafHash, nodeHash, parseNote } from './note.ts'

// The path of one record to the signed root of its day, as pages draw it.

/** One level: SHA-256(0x01 ‖ left ‖ right) = parent. Hashes are lower-case hex; `own` is the side that the previous level produced. */
export type Rung = { left: string; right: string; parent: string; own: 'left' | 'right' }

/** From the leaf up. `root` is the last parent, or the leaf of a tree of one. */
export type Ladder = { leaf: string; rungs: Rung[]; root: string }

/** One record of an archive with its path to the signed root of its day, computed from the archive. Hashes are hex. */
export type ArchiveLadder = {
  auditId: string
  /** YYYY-MM-DD. */
  date: string
  seq: number
  /** Records under the signed root. */
  size: number
  action: string
  ladder: Ladder
  /** The root in the day's signed checkpoint. */
  root: string
}

type Drawn = { leaf: Json; record: Json; nonce: string; seq: number; action: string }

/** A person's decision. */
const decision = /^approval\.(approve|reject)$/

/**
 * The path of the newest record with this action in the archive (of the newest decision, or else record, without one); undefined for an archive without
 * proofs. Throws for one that is damaged there.
 */
export async function ladderIn(file: Source, action?: string): Promise<ArchiveLadder | undefined> {
  const { entries } = await openZip(file)
  const archive = archiveOf(file, entries, undefined)
  const days = [...archive.paths()].flatMap((path) => /^data\/proofs\/(\d{4}-\d\d-\d\d)\.leaves$/.exec(path)?.[1] ?? [])
  const matches = (one: string) => (action === undefined ? decision.test(one) : one === action)
  for (const accepts of [matches, () => action === undefined])
    for (const date of days.sort().reverse()) {
      const note = parseNote(await archive.text(`data/proofs/${date}.checkpoint`))
      const row = await newestOf(archive, date, note.size, accepts)
      if (row === undefined) continue
      const ladder = await climbed(archive, date, { index: row.seq, size: note.size, leaf: drawnLeaf(row) })
      const auditId = String(member(row.record, 'auditId'))
      return { auditId, date, seq: row.seq, size: note.size, action: row.action, ladder, root: hex(note.root) }
    }
  return undefined
}

/** The newest row of the day below `size` whose action is accepted. */
async function newestOf(
  archive: Archive,
  date: string,
  size: number,
  accepts: (action: string) => boolean,
): Promise<Drawn | undefined> {
  const path = `data/audit/${date}.ndjson`
  let found: Drawn | undefined
  if (!archive.has(path)) return undefined
  for await (const line of archive.linesIn(path)) {
    const row = parseLine(line, path)
    const [leaf, record] = [member(row, 'leaf') ?? null, member(row, 'record') ?? null]
    const [seq, action] = [Number(member(leaf, 'seq')), String(member(record, 'action'))]
    if (seq >= 0 && seq < size && accepts(action))
      found = { leaf, record, nonce: String(member(row, 'nonce')), seq, action }
  }
  return found
}

/** The leaf hash as the record demands it, whatever digest the archive states. */
function drawnLeaf({ leaf, record, nonce }: Drawn): Bytes {
  const digest = sha256OfText(canonical(record), concat(encode('agcp.audit.record.v1\n'), fromHex(nonce)))
  const own = typeof leaf === 'object' && !Array.isArray(leaf) ? { ...leaf, digest: `sha256:${hex(digest)}` } : leaf
  return leafHash(canonical(own))
}

/**
 * The rungs from a leaf up, found while the leaves of the day are combined (RFC 6962, 2.1): of each node only its hash is
 * held, and whether the leaf is below it.
 */
async function climbed(
  archive: Archive,
  date: string,
  { index, size, leaf }: { index: number; size: number; leaf: Bytes },
): Promise<Ladder> {
  const leaves = leafReader(archive.pieces(`data/proofs/${date}.leaves`))
  const rungs: Rung[] = []
  const combined = (left: Combined, right: Combined): Combined => {
    const hash = nodeHash(left.hash, right.hash)
    const own = left.own ? 'left' : 'right'
    if (left.own || right.own) rungs.push({ left: hex(left.hash), right: hex(right.hash), parent: hex(hash), own })
    return { hash, own: left.own || right.own }
  }
  const stack: Combined[] = []
  for (let at = 0; at < size; at++) {
    const given = await leaves.next()
    let node: Combined = at === index ? { hash: leaf, own: true } : { hash: given, own: false }
    for (let rest = at; rest % 2 === 1; rest = Math.floor(rest / 2)) node = combined(stack.pop() ?? node, node)
    stack.push(node)
  }
  let top: Combined | undefined
  for (const node of stack.toReversed()) top = top === undefined ? node : combined(node, top)
  return { leaf: hex(leaf), rungs, root: hex(top?.hash ?? leaf) }
}

type Combined = { hash: Bytes; own: boolean }
