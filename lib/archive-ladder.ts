import { climb, type Ladder } from '#lib/ladder.ts'
import { sha256Now } from '#lib/sha256.ts'
import { type Archive, archiveOf } from '#lib/verify/archive.ts'
import { type Bytes, canonical, concat, encode, fromHex, hex, type Json, member, parseJson } from '#lib/verify/bytes.ts'
import { leafHash, parseNote } from '#lib/verify/note.ts'
import { openZip } from '#lib/verify/zip.ts'

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

type Row = { leaf: Json; record: Json; nonce: string; seq: number; action: string }

/** A person's decision. */
const decision = /^approval\.(approve|reject)$/

/**
 * The path of the newest record with this action in the archive (of the newest decision, or else record, without one); undefined for an archive without
 * proofs. Throws for one that is damaged there.
 */
export async function ladderIn(file: Blob, action?: string): Promise<ArchiveLadder | undefined> {
  const { entries } = await openZip(file)
  const archive = archiveOf(file, entries, undefined)
  const days = [...archive.paths()].flatMap((path) => /^data\/proofs\/(\d{4}-\d\d-\d\d)\.leaves$/.exec(path)?.[1] ?? [])
  const matches = (one: string) => (action === undefined ? decision.test(one) : one === action)
  for (const accepts of [matches, () => action === undefined])
    for (const date of days.sort().reverse()) {
      const note = parseNote(await archive.text(`data/proofs/${date}.checkpoint`))
      const row = await newestOf(archive, date, note.size, accepts)
      if (row === undefined) continue
      const hashes = hashesIn(await archive.bytes(`data/proofs/${date}.leaves`)).slice(0, note.size)
      const leaf = hex(leafHash(encode(canonical(leafOf(row)))))
      const ladder = await climb({ index: row.seq, size: note.size, leaf, siblings: pathOf(hashes, row.seq) })
      if (ladder === undefined) continue
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
): Promise<Row | undefined> {
  const path = `data/audit/${date}.ndjson`
  let found: Row | undefined
  if (!archive.has(path)) return undefined
  for await (const line of archive.linesIn(path)) {
    const row = parseJson(line, path)
    const [leaf, record] = [member(row, 'leaf') ?? null, member(row, 'record') ?? null]
    const [seq, action] = [Number(member(leaf, 'seq')), String(member(record, 'action'))]
    if (seq < size && accepts(action)) found = { leaf, record, nonce: String(member(row, 'nonce')), seq, action }
  }
  return found
}

/** The leaf as the record demands it, whatever digest the archive states. */
function leafOf({ leaf, record, nonce }: Row): Json {
  const digest = sha256Now(concat(encode('agcp.audit.record.v1\n'), fromHex(nonce), encode(canonical(record))))
  return typeof leaf === 'object' && !Array.isArray(leaf) ? { ...leaf, digest: `sha256:${hex(digest)}` } : leaf
}

const hashesIn = (bytes: Bytes): Bytes[] =>
  Array.from({ length: Math.floor(bytes.length / 32) }, (_, index) => bytes.slice(32 * index, 32 * index + 32))

/** The siblings from a leaf up to the root (RFC 9162, 2.1.3): a level's last node without a sibling moves up unchanged. */
function pathOf(leaves: readonly Bytes[], index: number): string[] {
  const siblings: string[] = []
  let [level, at] = [leaves, index]
  while (level.length > 1) {
    const sibling = level[at ^ 1]
    if (sibling !== undefined) siblings.push(hex(sibling))
    const pairs = level.length >> 1
    const above = Array.from({ length: pairs }, (_, pair) =>
      sha256Now(concat(Uint8Array.of(1), ...level.slice(2 * pair, 2 * pair + 2))),
    )
    level = level.length % 2 === 1 ? [...above, ...level.slice(-1)] : above
    at >>= 1
  }
  return siblings
}
