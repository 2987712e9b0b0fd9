import { type Archive, archiveOf } from './archive.ts'
import { Broken, fromBase64, type Json, lines, member, sameBytes, textMember } from './bytes.ts'
import { type Before, chainOf } from './chain.ts'
import type { Source } from './container/source.ts'
import { openZip } from './container/zip.ts'
import type { Heads } from './freshness.ts'
import { most } from './limits.ts'
import { newestSeals } from './log.ts'
import { continues, parseLogKey } from './note.ts'
import { NotChecked } from './report.ts'
import { checkSignature, readManifest, sealedFiles } from './seal.ts'

type Checked = { manifest: Json; fingerprint: string; heads: Heads }
/** `newer`: the other archive is the later one, so that this one's head is part of a head from elsewhere. */
type Adjacent = { newer: boolean; detail: string }

/** This archive and another one, of which one was made directly after the other, tell of one log. */
export async function adjacentTo(other: Source, archive: Archive, checked: Checked): Promise<Adjacent> {
  const { entries, exportId } = await openZip(other)
  const unchecked = archiveOf(other, entries, undefined)
  const manifest = await readManifest(unchecked)
  if ((await checkSignature(unchecked)) !== checked.fingerprint)
    throw new NotChecked('The other archive was sealed with another key.')
  if (member(member(manifest, 'tenant'), 'externalId') !== member(member(checked.manifest, 'tenant'), 'externalId'))
    throw new NotChecked('The other archive belongs to a different organisation.')
  if (member(checked.manifest, 'formatVersion') !== 2 || member(manifest, 'formatVersion') !== 2)
    throw new NotChecked('Archives of version 1 do not name the archive before them.')
  if (member(manifest, 'exportId') !== exportId)
    throw new Broken('The signed manifest of the other archive belongs to a different export.')
  const opened = await sealedFiles(unchecked, manifest)
  const own = member(checked.manifest, 'exportId')
  const before = await chainOf(archive)
  if (before !== undefined && before.exportId === exportId) {
    inOrder(manifest, checked.manifest)
    await sameManifest(before, opened)
    return { newer: false, detail: `It continues the archive ${exportId}, which you gave.` }
  }
  const after = await chainOf(opened)
  if (member(manifest, 'previousExportId') !== (after?.exportId ?? null))
    throw new Broken('The manifest of the other archive names a different earlier archive than its data/chain.json.')
  if (after === undefined || after.exportId !== own)
    throw new NotChecked('Neither archive names the other one as the one before it.')
  inOrder(checked.manifest, manifest)
  await sameManifest(after, archive)
  await continuedBy(after, checked, opened)
  return { newer: true, detail: `The later archive ${exportId} continues this one.` }
}

/** The service names as the one before only an archive that it has sealed. */
function inOrder(earlier: Json, later: Json): void {
  const [before, after] = [earlier, later].map((one) => Date.parse(textMember(one, 'sealedAt', 'The manifest')))
  if (!(Number(before) <= Number(after)))
    throw new Broken('The archive that names the other one as the one before it was sealed first.')
}

async function sameManifest({ exportId, manifestSha256 }: Before, archive: Archive): Promise<void> {
  if (manifestSha256 !== (await archive.digest('manifest.json')).sha256)
    throw new Broken(`The later archive names another archive ${exportId} than this one.`)
}

/** The later archive's log of closed days begins with this one's. */
async function continuedBy(after: Before, { heads, manifest }: Checked, later: Archive): Promise<void> {
  const { seals } = heads
  if (seals === undefined) return
  const externalId = textMember(member(manifest, 'tenant'), 'externalId', 'The manifest')
  const keys = lines(await later.text('data/keys/vkeys.txt', most.keysBytes)).map(parseLogKey)
  const newest = await newestSeals(later, { externalId, keys })
  const path = after.path.map((hash) => fromBase64(String(hash)))
  const same = after.seals?.size === seals.size && sameBytes(after.seals.root, seals.root)
  if (!same || newest === undefined || !continues(seals, newest, path))
    throw new Broken('The later archive has another log of closed days than this one.')
}
