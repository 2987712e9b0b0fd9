import type { Archive } from './archive.ts'
import {
  Broken,
  type Bytes,
  canonical,
  fromBase64,
  type Json,
  member,
  parseJson,
  sameBytes,
  textMember,
} from './bytes.ts'
import { checkSealProof, headOf, otherRecords, readRow, rowMatches, type SeenRecord } from './log.ts'
import { climbTo, type LogKey, leafHash } from './note.ts'
import type { About } from './report.ts'

/**
 * Records outside the archive's log that commit to rows in it, one a line: `{leaf, nonce, record, path}`. Each is a leaf of its
 * day, whose checkpoint and place in the log of closed days are in data/proofs/other. `open`: whether a day may lack that
 * place, because it had not been closed.
 */
export async function checkOtherRecords(
  archive: Archive,
  about: About,
  { keys, open }: { keys: readonly LogKey[]; open: (date: string) => boolean },
  seen: (record: SeenRecord) => void,
): Promise<string> {
  const { externalId } = about.tenant
  // Without their texts, of which there may be one for each day.
  const heads = new Map<string, Root>()
  let count = 0
  for await (const line of archive.linesIn(otherRecords)) {
    const row = readRow(line, otherRecords)
    const date = textMember(row.leaf, 'date', `Record ${row.seq}`)
    rowMatches(row, about, date)
    const head = heads.get(date) ?? (await provenHead(archive, date, { externalId, keys, open }))
    heads.set(date, head)
    const path = member(parseJson(line, otherRecords), 'path')
    const hashes = (Array.isArray(path) ? path : []).map((hash: Json) => fromBase64(String(hash)))
    const root = climbTo(row.seq, head.size, leafHash(canonical(row.leaf)), hashes)
    if (root === undefined || !sameBytes(root, head.root))
      throw new Broken(`Record ${row.seq} of ${date} is not in the log of that day.`)
    seen({ ...row, date })
    count += 1
  }
  return `${count} records that commit to rows and are outside the archive’s log are in the logs of their days.`
}

type Root = { size: number; root: Bytes }

async function provenHead(
  archive: Archive,
  date: string,
  log: { externalId: string; keys: readonly LogKey[]; open: (date: string) => boolean },
): Promise<Root> {
  const path = `data/proofs/other/${date}`
  const head = await headOf(archive, path, date, log)
  if (!log.open(date) || archive.has(`${path}.seal.tlog-proof`)) await checkSealProof(archive, path, head, log)
  return { size: head.note.size, root: head.note.root }
}
