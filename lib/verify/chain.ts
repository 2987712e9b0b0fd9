import type { Archive } from './archive.ts'
import { Broken, fromBase64, type Json, member, minuteOf, parseJson, requireForm, textMember } from './bytes.ts'
import type { Heads } from './freshness.ts'
import { continues, type LogKey, type Note, parseNote, restoredName, signerOf } from './note.ts'

// Archives form a chain: each names the one before it, and proves that its log continues that one's.

/** What an archive says of the one before it. */
export type Before = { exportId: string; manifestSha256: string; seals: Note | undefined; path: Json[] }

/** data/chain.json; undefined for the first archive of a tenant. */
export async function chainOf(archive: Archive): Promise<Before | undefined> {
  const of = 'data/chain.json'
  const text = await archive.text(of)
  const chain = parseJson(text, of)
  const form = JSON.stringify(chain)
  requireForm(of, text === form || text === `${JSON.stringify(chain, null, 2)}\n`)
  const previous = member(chain, 'previous')
  if (previous === null) return undefined
  const [seals, path] = [member(previous, 'seals'), member(previous, 'consistency')]
  return {
    exportId: textMember(previous, 'exportId', of),
    manifestSha256: textMember(previous, 'manifestSha256', of),
    seals: typeof seals === 'string' ? parseNote(seals) : undefined,
    path: Array.isArray(path) ? path : [],
  }
}

/** The log of closed days in this archive continues the one that the archive before it knew. */
export async function chainedFrom(
  archive: Archive,
  manifest: Json,
  { seals }: Heads,
  { externalId, keys }: { externalId: string; keys: readonly LogKey[] },
): Promise<string> {
  const before = await chainOf(archive)
  const named = member(manifest, 'previousExportId')
  if (before === undefined) {
    if (named !== null) throw new Broken('The manifest names an earlier archive that data/chain.json lacks.')
    return 'It is the first archive of this organisation.'
  }
  if (named !== before.exportId)
    throw new Broken('The manifest names a different earlier archive than data/chain.json.')
  if (before.seals === undefined) return `It follows ${before.exportId}, which knew no closed days.`
  if (!before.seals.origin.endsWith(`/t/${encodeURIComponent(externalId)}/seals`))
    throw new Broken(`The earlier archive has the head of a different log: ${before.seals.origin}.`)
  await signerOf(before.seals, keys)
  const path = before.path.map((hash) => fromBase64(String(hash)))
  if (seals === undefined || !continues(before.seals, seals, path))
    throw new Broken(`The log of closed days does not continue that of the earlier archive ${before.exportId}.`)
  return `Its log of ${seals.size} closed days continues the ${before.seals.size} of the earlier archive ${before.exportId}.`
}

/** Restores that are described. */
const mostRestores = 20

/** Collects the restores that an archive shows: their records, and the names in its checkpoints. */
export function restores() {
  const records: { at: number; lost: boolean }[] = []
  const names = new Set<string>()
  return {
    addHead(note: Note): void {
      const name = restoredName(note)
      if (name !== undefined && names.size < mostRestores) names.add(name)
    },
    addRecord(record: Json): void {
      if (member(record, 'action') !== 'audit_log.restored' || records.length === mostRestores) return
      const lost = member(member(record, 'details'), 'signedSince')
      records.push({ at: Date.parse(String(member(record, 'at'))), lost: lost !== null && lost !== undefined })
    },
    any: (): boolean => records.length > 0 || names.size > 0,
    /** States the breaks. */
    describe(): string {
      const known = records.map(
        ({ at, lost }) =>
          `On ${minuteOf(at)} the log was restored from a backup and continued under a new name and key; ${
            lost
              ? 'the service had signed more since that backup'
              : 'anything that was signed after that backup is missing'
          }.`,
      )
      const named = `The log continues under the name ${[...names].join(', ')}, which a restore from a backup gave it.`
      return [...known, ...(names.size > 0 ? [named] : [])].join(' ')
    },
  }
}
