import { type Archive, archiveOf } from './archive.ts'
import { Broken, fromBase64, hex, type Json, lines, member, sameBytes, textMember } from './bytes.ts'
import { type Before, chainOf } from './chain.ts'
import type { Source } from './container/source.ts'
import { openZip } from './container/zip.ts'
import type { Heads } from './freshness.ts'
import { most } from './limits.ts'
import { type Day, daysOf, leafReader, newestSeals } from './log.ts'
import { continues, growingTree, parseLogKey, parseNote, restoredName } from './note.ts'
import { NotChecked } from './report.ts'
import { checkSignature, readManifest } from './seal.ts'
import { sealedFiles } from './sealed-files.ts'

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
    await sameManifest(before, opened)
    sameHead(before, manifest)
    const lacking = await sameDays({ manifest, archive: opened }, { manifest: checked.manifest, archive })
    const apart = lacking.length === 0 ? '' : ` It lacks the log of ${lacking.join(', ')}, which was open in that one.`
    return { newer: false, detail: `It continues the archive ${exportId}, which you gave.${apart}` }
  }
  const after = await chainOf(opened)
  if (member(manifest, 'previousExportId') !== (after?.exportId ?? null))
    throw new Broken('The manifest of the other archive names a different earlier archive than its data/chain.json.')
  if (after === undefined || after.exportId !== own)
    throw new NotChecked('Neither archive names the other one as the one before it.')
  await sameManifest(after, archive)
  sameHead(after, checked.manifest)
  await continuedBy(after, checked, { manifest, archive: opened })
  const lacking = await sameDays({ manifest: checked.manifest, archive }, { manifest, archive: opened })
  if (lacking.length > 0)
    throw new NotChecked(
      `The later archive ${exportId} continues this one, but lacks the log of ${lacking.join(', ')}, which is open in this one.`,
    )
  return { newer: true, detail: `The later archive ${exportId} continues this one.` }
}

async function sameManifest({ exportId, manifestSha256 }: Before, archive: Archive): Promise<void> {
  if (manifestSha256 !== (await archive.digest('manifest.json')).sha256)
    throw new Broken(`The later archive names another archive ${exportId} than this one.`)
}

/** The later archive knows the head of closed days that the earlier one's manifest states, or that it states none. */
function sameHead({ exportId, seals }: Before, earlier: Json): void {
  const stated = member(member(earlier, 'heads'), 'seals')
  const own = typeof stated === 'string' ? parseNote(stated).text : undefined
  if (own !== seals?.text)
    throw new Broken(`The later archive knows another head of closed days of ${exportId} than that archive.`)
}

type Known = { manifest: Json; archive: Archive }

/**
 * Days of both archives agree: those that were closed in the earlier one are the same in the later one, and open ones begin there with
 * the same records. The open days that the later archive lacks.
 */
async function sameDays(earlier: Known, later: Known): Promise<string[]> {
  const days = new Map(daysOf(later.manifest).map((day) => [day.date, day]))
  const lacking: string[] = []
  for (const day of daysOf(earlier.manifest)) {
    const other = days.get(day.date)
    if (other === undefined || (day.open && !later.archive.has(leavesPathOf(day)))) {
      if (day.open && day.size > 0) lacking.push(day.date)
      continue
    }
    const same = day.open
      ? await beginsWith(later.archive, day, other)
      : other.root === day.root && other.size === day.size
    if (same && (day.open || !other.open)) continue
    if (await isRestored(later.archive, earlier.archive, day))
      throw new NotChecked(
        `The log of ${day.date} was restored from a backup between the two archives, and lacks what the earlier one has.`,
      )
    throw new Broken(`The two archives contradict each other: they have another log of ${day.date}.`)
  }
  return lacking
}

const leavesPathOf = ({ date }: Day): string => `data/proofs/${date}.leaves`

/** The first leaves of the day in the later archive have the root that the earlier one has, and all of them the root that it states. */
async function beginsWith(archive: Archive, earlier: Day, later: Day): Promise<boolean> {
  const { size, root } = earlier
  const leaves = leafReader(archive.pieces(leavesPathOf(earlier)))
  const tree = growingTree()
  let same = size === 0
  for (let leaf = await leaves.maybe(); leaf !== undefined; leaf = await leaves.maybe()) {
    tree.add(leaf)
    if (tree.size() === size) same = hex(tree.root()) === root
  }
  return same && tree.size() === later.size && hex(tree.root()) === later.root
}

/** Whether the log has another name in the later archive, which a restore from a backup gave it. */
async function isRestored(later: Archive, earlier: Archive, { date }: Day): Promise<boolean> {
  const path = `data/proofs/${date}.checkpoint`
  const [now, before] = await Promise.all(
    [later, earlier].map(async (one) => (one.has(path) ? restoredName(parseNote(await one.text(path))) : undefined)),
  )
  return now !== undefined && now !== before
}

/** The later archive's log of closed days begins with this one's. */
async function continuedBy(after: Before, { heads, manifest }: Checked, later: Known): Promise<void> {
  const { seals } = heads
  if (seals === undefined) {
    if (typeof member(member(manifest, 'heads'), 'seals') !== 'string') return
    throw new NotChecked(
      'This archive does not prove its log of closed days, so the later one can’t be compared with it.',
    )
  }
  if (member(member(later.manifest, 'options'), 'includeProofs') === false)
    throw new NotChecked('The later archive was made without proofs, so its log of closed days can’t be compared.')
  const externalId = textMember(member(manifest, 'tenant'), 'externalId', 'The manifest')
  const keys = lines(await later.archive.text('data/keys/vkeys.txt', most.keysBytes)).map(parseLogKey)
  const newest = await newestSeals(later.archive, { externalId, keys })
  const path = after.path.map((hash) => fromBase64(String(hash)))
  const same = after.seals?.size === seals.size && sameBytes(after.seals.root, seals.root)
  if (!same || newest === undefined || !continues(seals, newest, path))
    throw new Broken('The later archive has another log of closed days than this one.')
}
