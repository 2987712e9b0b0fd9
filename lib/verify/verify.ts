import { adjacentTo } from './adjacent.ts'
import { type Archive, archiveOf } from './archive.ts'
import { Broken, type Json, member, parseJson } from './bytes.ts'
import { checkLog } from './check-log.ts'
import { checkLive, type Heads } from './freshness.ts'
import { logKeyNamed } from './note.ts'
import {
  checkFingerprint,
  checkPublished,
  checkSuccession,
  checkSuccessor,
  type PublishedKey,
  publishedKeys,
  typedFingerprint,
} from './origin.ts'
import { type About, type Check, type Checker, checker, NotChecked, type Report, verdictsOf } from './report.ts'
import {
  aboutOf,
  checkDescription,
  checkFiles,
  checkManifest,
  checkSignature,
  checkSigstore,
  checkTagSignature,
  type FileFacts,
  readManifest,
  timeStamp,
} from './seal.ts'
import { openZip } from './zip.ts'

/** Facts from outside the archive. Without them origin and freshness can’t be checked. */
export type Outside = {
  /** The fingerprint of the service's key as the reader knows it, in hex. */
  fingerprint?: string | undefined
  /** The service's log-keys.json, asked for when the archive's heads are known. Rejects when it can't be fetched. */
  published?: ((archive: { externalId: string; heads: Heads }) => Promise<Json>) | undefined
  /** The archive of the same organisation that was made directly before or after this one. */
  adjacent?: Blob | undefined
}

export type Listener = {
  /** Receives each check as it completes. */
  check?(check: Check): void
  /** Receives what the archive says of itself, before the checks that take long. */
  about?(about: About): void
  /** The share of the files' bytes hashed so far, from 0 to 1. */
  progress?(share: number): void
}

/**
 * Checks a whole archive with features of a browser or Node only. Never throws because of its content, and never needs
 * more memory than its largest list.
 */
export async function verifyArchive(file: Blob, outside: Outside = {}, listener: Listener = {}): Promise<Report> {
  const report: Omit<Report, 'verdicts' | 'everything'> = {
    exportId: '',
    about: undefined,
    fingerprint: undefined,
    checks: [],
  }
  const made = checker(report.checks, (check) => listener.check?.(check))
  await checkAll(file, outside, listener, report, made)
  const verdicts = verdictsOf(report.checks)
  return { ...report, verdicts, everything: Object.values(verdicts).every((state) => state === 'holds') }
}

async function checkAll(
  file: Blob,
  outside: Outside,
  listener: Listener,
  report: Omit<Report, 'verdicts' | 'everything'>,
  { check, skip }: Checker,
): Promise<void> {
  let archive: Archive | undefined
  await check('integrity', 'Container', async () => {
    const { entries, exportId } = await openZip(file)
    report.exportId = exportId
    archive = archiveOf(file, entries, listener.progress && ((share) => listener.progress?.(share)))
    return `${entries.size} files, each listed once, and nothing between or after them.`
  })
  if (archive === undefined) return
  const opened = archive
  let manifest: Json = null
  await check('integrity', 'Seal', async () => {
    manifest = await readManifest(opened)
    report.about = aboutOf(manifest, false)
    report.fingerprint = await checkSignature(opened)
    report.about = await withOmissions(aboutOf(manifest, true), opened)
    return 'The key in the archive signed its manifest.'
  })
  if (report.about !== undefined) listener.about?.(report.about)
  const version = report.about?.formatVersion ?? 1
  let files: ReadonlyMap<string, FileFacts> = new Map()
  const unchanged = await check('integrity', 'Files', async () => {
    files = await checkFiles(opened)
    return `All ${files.size} files of evidence have the listed SHA-256.`
  })
  await check('integrity', 'Description', () => checkDescription(opened, version))
  const { about, fingerprint } = report
  if (about === undefined || fingerprint === undefined || !about.sealed) return
  if (version > 1) await check('integrity', 'Seal of the description', () => checkTagSignature(opened))
  if (unchanged)
    await check('integrity', 'Manifest', () => checkManifest(opened, { manifest, exportId: report.exportId, files }))
  await check('integrity', 'Sigstore bundle', () => checkSigstore(opened, version))
  const log = await checkLog(opened, manifest, about, { check, skip })
  let published: Json | undefined
  const known = async () => {
    published ??= await outside
      .published?.({ externalId: about.tenant.externalId, heads: log.heads })
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error)
        throw new NotChecked(`The keys that the service publishes could not be fetched: ${reason}`)
      })
    return published
  }
  await check('origin', 'Key', async () => {
    const given = outside.fingerprint
    if (given !== undefined && (outside.published === undefined || typedFingerprint(given) === fingerprint))
      return checkFingerprint(given, fingerprint)
    const list = await known()
    if (list === undefined)
      throw new NotChecked(
        `Compare the fingerprint of its key with the one that the service publishes: ${fingerprint}.`,
      )
    const keys = await succeeding(list, about)
    if (given !== undefined)
      return checkSuccessor(keys, typedFingerprint(given), fingerprint) ?? checkFingerprint(given, fingerprint)
    return checkPublished(keys, { fingerprint, sealedAt: about.sealedAt, logKeys: log.keys })
  })
  const { adjacent } = outside
  let newer = false
  if (adjacent !== undefined)
    await check('freshness', 'Other archive', async () => {
      const found = await adjacentTo(adjacent, opened, { manifest, fingerprint, heads: log.heads })
      newer = found.newer
      return found.detail
    })
  await check('freshness', 'Newest head', async () => {
    const list = await known()
    if (list === undefined && newer) return 'Its newest head is part of the later archive’s.'
    if (list === undefined) throw new NotChecked('A newer head of the log is needed, which the service publishes.')
    const keys = (await succeeding(list, about)).filter((key) => key.purpose === 'log')
    return await checkLive(log.heads, member(list, 'heads'), (origin) =>
      keys.map(({ key }) => logKeyNamed(origin, key)),
    )
  })
  const authority = member(manifest, 'timeStampAuthority')
  if (typeof authority === 'string' && !opened.has(timeStamp))
    await check('integrity', 'Time-stamp', async () => {
      throw new Broken(`The manifest names the time-stamp of ${authority}, which is missing.`)
    })
  if (opened.has(timeStamp))
    skip(
      'freshness',
      'Time-stamp',
      'Another organisation signed when the archive existed (RFC 3161). README.txt has the command that checks it against that organisation’s certificate.',
    )
}

/** The keys in the list, each signed by the one before it. */
async function succeeding(list: Json, about: About): Promise<PublishedKey[]> {
  const keys = publishedKeys(list, about.tenant.externalId)
  await checkSuccession(keys)
  return keys
}

/** Adds what was left out, by reason, from the list in the archive. */
async function withOmissions(about: About, archive: Archive): Promise<About> {
  const counts = new Map<string, number>()
  if (archive.has('data/omissions.ndjson'))
    for await (const line of archive.linesIn('data/omissions.ndjson')) {
      const reason = member(parseJson(line, 'A line of data/omissions.ndjson'), 'reason')
      if (typeof reason === 'string') counts.set(reason, (counts.get(reason) ?? 0) + 1)
    }
  return { ...about, omissions: [...counts].map(([reason, count]) => ({ reason, count })) }
}
