import type { Archive } from './archive.ts'
import {
  Broken,
  type Bytes,
  canonical,
  concat,
  encode,
  fromBase64,
  fromHex,
  hex,
  type Json,
  member,
  parseJson,
  requireLineForm,
  sameBytes,
  sha256OfText,
  textMember,
} from './bytes.ts'
import { all, counted } from './counted.ts'
import { membersBeyond } from './known.ts'
import { climbTo, growingTree, type LogKey, leafHash, type Note, parseNote, signerOf } from './note.ts'
import type { About } from './report.ts'

// The log: each record is in its day, each day is signed, and closed days are in the signed log of closed days.

/** A day as the manifest names it. */
export type Day = { date: string; size: number; root: string; open: boolean }

export function daysOf(manifest: Json): Day[] {
  const days = member(manifest, 'days')
  if (!Array.isArray(days)) throw new Broken('The manifest does not name the days of the log.')
  return days.map((day) => {
    const [date, root] = ['date', 'root'].map((name) => textMember(day, name, 'A day in the manifest')) as [
      string,
      string,
    ]
    const size = member(day, 'size')
    if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || typeof size !== 'number')
      throw new Broken('A day in the manifest is malformed.')
    return { date, size, root, open: member(day, 'open') === true }
  })
}

/** A checkpoint in the archive whose signature was checked. */
export type Head = { note: Note; host: string }

/** The day's checkpoint, by a key of the archive, over the log of that day of this tenant. */
export async function checkHead(
  archive: Archive,
  day: Day,
  { externalId, keys }: { externalId: string; keys: readonly LogKey[] },
): Promise<Head> {
  const { note, host } = await headOf(archive, `data/proofs/${day.date}`, day.date, { externalId, keys })
  if (day.root !== hex(note.root) || day.size !== note.size)
    throw new Broken('The manifest names a different size or root than the signed checkpoint.')
  return { note, host }
}

/** The checkpoint at `path`, signed over the log of that day of this tenant. */
export async function headOf(
  archive: Archive,
  path: string,
  date: string,
  { externalId, keys }: { externalId: string; keys: readonly LogKey[] },
): Promise<Head> {
  const note = parseNote(await archive.text(`${path}.checkpoint`))
  const host = hostOf(note, `/t/${encodeURIComponent(externalId)}/audit/${date}`)
  await signerOf(note, keys)
  return { note, host }
}

function hostOf({ origin }: Note, path: string): string {
  if (!origin.endsWith(path) || origin.length === path.length)
    throw new Broken(`The checkpoint belongs to a different log: ${origin}.`)
  return origin.slice(0, -path.length)
}

/**
 * A record has the time at which its transaction was done, and gets its place once the transactions before it are written. So the
 * times in a log may be out of order, and a day's log may begin with times before midnight. None waits longer than this: the
 * service signs no later record.
 */
export const mostWaitMs = 10 * 60_000

/** What the records of a day say that other checks need. */
export type SeenRecord = { date: string; seq: number; auditId: string; record: Json }

/**
 * Every record is the one that was logged at its position, and all leaves of the day give the signed root. `limited`: an
 * archive of one object, which has only the records about it.
 */
export async function checkDay(
  archive: Archive,
  { date }: Day,
  { note }: Head,
  about: About,
  limited: boolean,
  seen: (record: SeenRecord) => void,
): Promise<string> {
  const listed = archive.size(`data/proofs/${date}.leaves`) / 32
  if (listed !== note.size) throw new Broken(`The archive has ${listed} leaves, but ${note.size} were signed.`)
  const leaves = leafReader(archive.pieces(`data/proofs/${date}.leaves`))
  const tree = growingTree()
  const edges = edgesIn(about, date)
  // A day that lies in the period has all its records here, and no other day has gaps between them.
  const [fromFirst, toLast] = limited ? [false, false] : wholeEnds(about, date)
  let [last, lastTime]: [number | undefined, number] = [undefined, 0]
  let records = 0
  for await (const line of archive.linesIn(`data/audit/${date}.ndjson`)) {
    const row = readRow(line, `data/audit/${date}.ndjson`)
    const { seq, record } = row
    if (last !== undefined && (limited ? seq <= last : seq !== last + 1))
      throw new Broken(`After record ${last} comes record ${seq}: a record is missing or duplicated.`)
    if (last === undefined && fromFirst && seq !== 0) throw new Broken(`The day’s records begin with number ${seq}.`)
    rowMatches(row, about, date)
    const at = Date.parse(textMember(record, 'at', `Record ${seq}`))
    const begins = last === undefined && !limited
    if (!(at >= (begins ? edges.first : edges.earliest) && at < edges.latest)) throw outside(seq)
    ;[last, lastTime] = [seq, at]
    for (let next = tree.size(); next < seq; next++) tree.add(await leaves.next())
    const logged = leaves.held() ?? (await leaves.next())
    if (!sameBytes(logged, leafHash(row.texts.leaf)))
      throw new Broken(`Record ${seq} does not match the leaf at its position.`)
    tree.add(logged)
    records += 1
    seen({ date, seq, auditId: row.auditId, record })
  }
  if (last !== undefined && !limited && !(lastTime < edges.end)) throw outside(last)
  if (toLast && (fromFirst || last !== undefined) && (last ?? -1) + 1 !== note.size)
    throw new Broken(
      `The day has ${counted(note.size, 'record', 'records')} in the log, and ${records} in the archive.`,
    )
  for (let next = await leaves.maybe(); next !== undefined; next = await leaves.maybe()) tree.add(next)
  if (tree.size() !== note.size)
    throw new Broken(`The archive has ${tree.size()} leaves, but ${note.size} were signed.`)
  if (!sameBytes(tree.root(), note.root)) throw new Broken('The leaves do not give the signed root.')
  return `${counted(records, 'record matches', 'records match')} the log; ${all(note.size, 'leaf of the day gives', 'leaves of the day give').replace(/^./, (first) => first.toLowerCase())} the signed root.`
}

const outside = (seq: number): Broken => new Broken(`Record ${seq} is outside the archive’s period.`)

const dayMs = 24 * 3600 * 1000

/**
 * The times that records of the day may have. Where the period begins or ends within the day, the archive has what the log has from
 * the first record of the period to the last one; those between them may be slightly outside. Elsewhere it has the day's log
 * from its first record on, or up to its last one.
 */
function edgesIn({ period, requested }: About, date: string) {
  const [start, end] = [Date.parse(period.start), Date.parse(period.end)]
  const midnight = Date.parse(date)
  const cut = requested !== undefined && Date.parse(requested.end) > end
  const endsWithin = end < midnight + dayMs && !cut
  return {
    /** Of the first record, and of the others. */
    first: start > midnight ? start : start - mostWaitMs,
    earliest: start - mostWaitMs,
    /** Not included: after the last record, and after the others. */
    end,
    latest: endsWithin ? end + mostWaitMs : end,
  }
}

/** Whether the archive has the records of a day from the first one on, and up to the last one that was signed. */
function wholeEnds({ period, requested }: About, date: string): [fromFirst: boolean, toLast: boolean] {
  const [start, end] = [Date.parse(period.start), Date.parse(period.end)]
  const midnight = Date.parse(date)
  // A period that was cut ends with the newest signed head.
  const cut = requested !== undefined && Date.parse(requested.end) > end
  const [first, last] = [start <= midnight, cut || end >= midnight + dayMs]
  // Archives of version 1 end with whole days only.
  return requested === undefined ? [first && last, first && last] : [first, last]
}

/** Records outside the archive's log. */
export const otherRecords = 'data/other-records.ndjson'

type Row = {
  leaf: Json
  record: Json
  /** Their canonical JSON. */
  texts: { leaf: string; record: string }
  nonce: string
  seq: number
  auditId: string
}

export function readRow(line: string, path: string): Row {
  const of = `A line of ${path}`
  const row = parseJson(line, of)
  const [leaf = null, record = null] = [member(row, 'leaf'), member(row, 'record')]
  const texts = { leaf: canonical(leaf), record: canonical(record) }
  // What the service writes consists of these texts. To write the whole line again would cost as much as both of them.
  const asWritten = `{"leaf":${texts.leaf},"nonce":${JSON.stringify(member(row, 'nonce'))},"record":${texts.record}}`
  if (line !== asWritten) requireLineForm(line, row, of)
  // Records from elsewhere have their path. Nothing else in the line would be covered by the log.
  const [other] = membersBeyond(row, ['leaf', 'nonce', 'record', ...(path === otherRecords ? ['path'] : [])])
  if (other !== undefined) throw new Broken(`A line of ${path} has a member that records do not have: ${other}.`)
  const seq = member(leaf, 'seq')
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0)
    throw new Broken('A record is without a position.')
  const name = `Record ${seq}`
  return { leaf, record, texts, seq, nonce: textMember(row, 'nonce', name), auditId: textMember(leaf, 'auditId', name) }
}

const recordDomain = encode('agcp.audit.record.v1\n')

/** The leaf is about this record, this day and this tenant. */
export function rowMatches({ leaf, nonce, record, texts, seq, auditId }: Row, about: About, date: string): void {
  const digest = sha256OfText(texts.record, concat(recordDomain, fromHex(nonce)))
  if (nonce.length !== 64 || member(leaf, 'digest') !== `sha256:${hex(digest)}`)
    throw new Broken(`Record ${seq} does not match the logged digest.`)
  if (member(leaf, 'date') !== date || member(leaf, 'tenant') !== about.tenant.externalId)
    throw new Broken(`Record ${seq} belongs to a different day or tenant.`)
  if (member(record, 'auditId') !== auditId || member(record, 'action') !== member(leaf, 'type'))
    throw new Broken(`Record ${seq} is logged under another id or action.`)
}

/** The hashes of a file of leaves, one after the other. */
export function leafReader(pieces: AsyncGenerator<Bytes>) {
  let rest: Bytes = new Uint8Array()
  const held = (): Bytes | undefined => {
    if (rest.length < 32) return undefined
    const hash = rest.slice(0, 32)
    rest = rest.subarray(32)
    return hash
  }
  const maybe = async (): Promise<Bytes | undefined> => {
    while (rest.length < 32) {
      const piece = await pieces.next()
      if (piece.done) {
        if (rest.length > 0) throw new Broken('The leaves of the day end within a hash.')
        return undefined
      }
      rest = rest.length === 0 ? piece.value : concat(rest, piece.value)
    }
    return held()
  }
  return {
    /** The next one, if it has been read already: awaiting a million of them costs as much as hashing them. */
    held,
    maybe,
    async next(): Promise<Bytes> {
      const hash = await maybe()
      if (hash === undefined) throw new Broken('The archive has fewer leaves than records.')
      return hash
    },
  }
}

/** The day is in the signed log of closed days, with this very checkpoint. The head of that log. */
export async function checkSealProof(
  archive: Archive,
  path: string,
  head: Head,
  { externalId, keys }: { externalId: string; keys: readonly LogKey[] },
): Promise<{ note: Note; index: number }> {
  const proof = await archive.text(`${path}.seal.tlog-proof`)
  const split = proof.indexOf('\n\n')
  const [header, indexLine = '', ...hashes] = proof.slice(0, split).split('\n')
  const note = parseNote(proof.slice(split + 2))
  const index = Number(/^index (0|[1-9]\d{0,14})$/.exec(indexLine)?.[1] ?? Number.NaN)
  if (header !== 'c2sp.org/tlog-proof@v1' || !(index < note.size)) throw new Broken('The proof is malformed.')
  // The host may differ from the day's: the service's address changed in between. The keys and the path name the log.
  hostOf(note, `/t/${encodeURIComponent(externalId)}/seals`)
  await signerOf(note, keys)
  const root = climbTo(index, note.size, leafHash(head.note.text), hashes.map(fromBase64))
  if (root === undefined || !sameBytes(root, note.root))
    throw new Broken('The path does not lead to the signed root of closed days.')
  return { note, index }
}

const sealsPath = 'data/proofs/seals.checkpoint'

/** The head of the log of closed days in an archive of version 2; undefined when no day was closed yet. */
export async function newestSeals(
  archive: Archive,
  { externalId, keys }: { externalId: string; keys: readonly LogKey[] },
): Promise<Note | undefined> {
  if (!archive.has(sealsPath)) return undefined
  const note = parseNote(await archive.text(sealsPath))
  hostOf(note, `/t/${encodeURIComponent(externalId)}/seals`)
  await signerOf(note, keys)
  return note
}

/**
 * Whether the head of closed days to which a day is proved is the archive's head, which is the one that is compared with heads from
 * elsewhere. False for another size: exports that went on while a day was closed once mixed two heads, and nothing in the archive
 * shows that one continues the other. Broken for two roots of one size.
 */
export function isUnder(proved: Note, seals: Note | undefined): boolean {
  if (seals === undefined) throw new Broken(`${sealsPath} is missing, or does not hold.`)
  if (proved.size !== seals.size) return false
  if (!sameBytes(proved.root, seals.root))
    throw new Broken(`The day is proved to another log of closed days than that of ${sealsPath}.`)
  return true
}
