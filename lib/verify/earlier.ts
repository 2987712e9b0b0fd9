import type { Archive } from './archive.ts'
import { Broken, canonical, encode, fromBase64, type Json, member, parseJson, sameBytes, textMember } from './bytes.ts'
import { checkSealProof, type Head, headOf, readRow, rowMatches, type SeenRecord } from './log.ts'
import { climbTo, type LogKey, leafHash } from './note.ts'
import type { About } from './report.ts'

/**
 * Records from before the period that commit to objects in the archive, one a line of data/audit/earlier.ndjson:
 * `{leaf, nonce, record, path}`. Each is a leaf of its day, whose checkpoint and place in the log of closed days are in
 * data/proofs/earlier.
 */
export async function checkEarlier(
  archive: Archive,
  about: About,
  keys: readonly LogKey[],
  seen: (record: SeenRecord) => void,
): Promise<string> {
  const of = 'data/audit/earlier.ndjson'
  const { externalId } = about.tenant
  const heads = new Map<string, Head>()
  let count = 0
  for await (const line of archive.linesIn(of)) {
    const row = readRow(line, of)
    const date = textMember(row.leaf, 'date', `Record ${row.seq}`)
    rowMatches(row, about, date)
    if (Date.parse(textMember(row.record, 'at', `Record ${row.seq}`)) >= Date.parse(about.period.start))
      throw new Broken(`Record ${row.seq} of ${date} is not from before the period.`)
    let head = heads.get(date)
    if (head === undefined) {
      head = await headOf(archive, `data/proofs/earlier/${date}`, date, { externalId, keys })
      await checkSealProof(archive, `data/proofs/earlier/${date}`, head, { externalId, keys })
      heads.set(date, head)
    }
    const path = member(parseJson(line, of), 'path')
    const hashes = (Array.isArray(path) ? path : []).map((hash: Json) => fromBase64(String(hash)))
    const root = climbTo(row.seq, head.note.size, leafHash(encode(canonical(row.leaf))), hashes)
    if (root === undefined || !sameBytes(root, head.note.root))
      throw new Broken(`Record ${row.seq} of ${date} is not in the log of that day.`)
    seen(row)
    count += 1
  }
  return `${count} records from before the period are in the logs of their days.`
}
