import { generateKeyPairSync } from 'node:crypto'
import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { formatCheckpoint, parseCheckpoint, parseNote, signNote, verifierKey } from '#server/audit/notes/signed-note.ts'
import { leafHash, treeRoot } from '#server/audit/tree/merkle.ts'
import { auditLeaf, recordDigest } from '#server/kernel/audit/record.ts'
import { type ArchiveFiles, resealed } from './forged-archive.ts'

// Archives with another open day, signed by a log key of the test: what an archive looks like whose records say something else.

/** The files with the records of the open day `date` as `edit` returns them, logged, signed and sealed again. */
export function relogged(
  files: ArchiveFiles,
  date: string,
  edit: (records: JsonObject[]) => JsonObject[],
  more: (files: Map<string, Buffer>) => void = () => undefined,
): Map<string, Buffer> {
  const path = `data/audit/${date}.ndjson`
  const rows = String(files.get(path))
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
  const tenant = rows[0].leaf.tenant
  const nonce = Buffer.alloc(32, 7)
  const logged = edit(rows.map(({ record }) => record)).map((record, seq) => {
    const fields = { auditId: String(record.auditId), date, seq, tenant, type: String(record.action) }
    const digest = recordDigest(nonce, record)
    const leaf = { ...fields, digest: `sha256:${digest.toString('hex')}`, v: 1 }
    return { line: { leaf, nonce: nonce.toString('hex'), record }, hash: leafHash(auditLeaf({ ...fields, digest })) }
  })
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { origin } = parseCheckpoint(parseNote(String(files.get(`data/proofs/${date}.checkpoint`))).text)
  const root = treeRoot(logged.map(({ hash }) => hash))
  const note = signNote(formatCheckpoint({ origin, size: logged.length, root }), { name: origin, privateKey })
  return resealed(files, {
    files: (content) => {
      content.set(path, Buffer.from(logged.map(({ line }) => `${JSON.stringify(line)}\n`).join('')))
      content.set(`data/proofs/${date}.leaves`, Buffer.concat(logged.map(({ hash }) => hash)))
      content.set(`data/proofs/${date}.checkpoint`, Buffer.from(note))
      const keys = `${String(content.get('data/keys/vkeys.txt'))}${verifierKey(origin, publicKey)}\n`
      content.set('data/keys/vkeys.txt', Buffer.from(keys))
      more(content)
    },
    manifest: (manifest) => ({
      ...manifest,
      days: (Array.isArray(manifest.days) ? manifest.days : []).map((day) =>
        isJsonObject(day) && day.date === date ? { ...day, size: logged.length, root: root.toString('hex') } : day,
      ),
    }),
  })
}
