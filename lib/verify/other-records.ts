import type { Archive } from './archive.ts'
import { Broken, type Bytes, fromBase64, type Json, member, parseJson, sameBytes, textMember } from './bytes.ts'
import { counted } from './counted.ts'
import { isLate } from './days.ts'
import { checkSealProof, headOf, isUnder, otherRecords, readRow, rowMatches, type SeenRecord } from './log.ts'
import { climbTo, type LogKey, leafHash, type Note } from './note.ts'
import { type About, NotChecked } from './report.ts'

/**
 * Records outside the archive's log that commit to rows in it, one a line: `{leaf, nonce, record, path}`. Each is a leaf of its
 * day, whose checkpoint and place in the log of closed days are in data/proofs/other. `open`: whether a day may lack that
 * place, because it had not been closed. `seals`: the archive's head of that log.
 */
export async function checkOtherRecords(
  archive: Archive,
  about: About,
  { keys, open, seals }: Pick<Known, 'keys' | 'open' | 'seals'>,
  seen: (record: SeenRecord) => void,
): Promise<string> {
  const { sealedAt } = about
  const { externalId } = about.tenant
  // Without their texts, of which there may be one for each day.
  const heads = new Map<string, Root>()
  const apart: string[] = []
  let count = 0
  for await (const line of archive.linesIn(otherRecords)) {
    const row = readRow(line, otherRecords)
    const date = textMember(row.leaf, 'date', `Record ${row.seq}`)
    rowMatches(row, about, date)
    const head = heads.get(date) ?? (await provenHead(archive, date, { externalId, sealedAt, keys, open, seals }))
    if (head.apart && !heads.has(date)) apart.push(date)
    heads.set(date, head)
    const path = member(parseJson(line, otherRecords), 'path')
    const hashes = (Array.isArray(path) ? path : []).map((hash: Json) => fromBase64(String(hash)))
    const root = climbTo(row.seq, head.size, leafHash(row.texts.leaf), hashes)
    if (root === undefined || !sameBytes(root, head.root))
      throw new Broken(`Record ${row.seq} of ${date} is not in the log of that day.`)
    seen({ ...row, date })
    count += 1
  }
  if (apart.length > 0)
    throw new NotChecked(
      `The records of ${briefDates(apart)} are in the signed logs of those days. Whether these days are closed in the log whose head the archive has, nothing in it shows. Export the period again.`,
    )
  return `${counted(count, 'record that commits to rows and is outside the archive’s log is in the log of its day', 'records that commit to rows and are outside the archive’s log are in the logs of their days')}.`
}

type Known = {
  externalId: string
  sealedAt: string
  keys: readonly LogKey[]
  open: (date: string) => boolean
  seals: Note | undefined
}
/** `apart`: the day is not proved to the archive's head of the log of closed days, and was over for long. */
type Root = { size: number; root: Bytes; apart: boolean }

async function provenHead(archive: Archive, date: string, log: Known): Promise<Root> {
  const path = `data/proofs/other/${date}`
  const head = await headOf(archive, path, date, log)
  const { size, root } = head.note
  if (log.open(date) && !archive.has(`${path}.seal.tlog-proof`))
    return { size, root, apart: isLate(date, log.sealedAt) }
  const { note } = await checkSealProof(archive, path, head, log)
  return { size, root, apart: log.seals === undefined || !isUnder(note, log.seals) }
}

const mostDates = 5

const briefDates = (dates: readonly string[]): string =>
  [...dates.slice(0, mostDates), ...(dates.length > mostDates ? [`${dates.length - mostDates} more days`] : [])].join(
    ', ',
  )
