import { type Archive, archiveOf } from './archive.ts'
import { Broken, type Json, lines, member, parseJson } from './bytes.ts'
import { checkLive, type Heads } from './freshness.ts'
import { checkDay, checkHead, checkSealProof, daysOf, type Head } from './log.ts'
import { type LogKey, logKeyNamed, parseLogKey } from './note.ts'
import { checkFingerprint, checkPublished, publishedKeys } from './origin.ts'
import { type About, type Check, type Checker, checker, NotChecked, type Report, verdictsOf } from './report.ts'
import {
  aboutOf,
  checkDescription,
  checkFiles,
  checkManifest,
  checkSignature,
  checkSigstore,
  type FileFacts,
} from './seal.ts'
import { openZip } from './zip.ts'

/** Facts from outside the archive. Without them origin and freshness can’t be checked. */
export type Outside = {
  /** The fingerprint of the service's key as the reader knows it, in hex. */
  fingerprint?: string | undefined
  /** The service's log-keys.json, asked for when the archive's heads are known. Rejects when it can't be fetched. */
  published?: ((archive: { externalId: string; heads: Heads }) => Promise<Json>) | undefined
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
    const sealed = await checkSignature(opened)
    manifest = sealed.manifest
    report.fingerprint = sealed.fingerprint
    report.about = await withOmissions(aboutOf(manifest, true), opened)
    listener.about?.(report.about)
    return 'The key in the archive signed its manifest.'
  })
  let files: ReadonlyMap<string, FileFacts> = new Map()
  const unchanged = await check('integrity', 'Files', async () => {
    files = await checkFiles(opened)
    return `All ${files.size} files of evidence have the listed SHA-256.`
  })
  await check('integrity', 'Description', () => checkDescription(opened))
  const { about, fingerprint } = report
  if (about === undefined || fingerprint === undefined) return
  if (unchanged)
    await check('integrity', 'Manifest', () => checkManifest(opened, { manifest, exportId: report.exportId, files }))
  await check('integrity', 'Sigstore bundle', () => checkSigstore(opened, about.formatVersion))
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
    if (outside.fingerprint !== undefined) return checkFingerprint(outside.fingerprint, fingerprint)
    const list = await known()
    if (list !== undefined)
      return checkPublished(publishedKeys(list, about.tenant.externalId), {
        fingerprint,
        sealedAt: about.sealedAt,
        logKeys: log.keys,
      })
    throw new NotChecked(`Compare the fingerprint of its key with the one that the service publishes: ${fingerprint}.`)
  })
  await check('freshness', 'Newest head', async () => {
    const list = await known()
    if (list === undefined) throw new NotChecked('A newer head of the log is needed, which the service publishes.')
    const keys = publishedKeys(list, about.tenant.externalId).filter((key) => key.purpose === 'log')
    return await checkLive(log.heads, member(list, 'heads'), (origin) =>
      keys.map(({ key }) => logKeyNamed(origin, key)),
    )
  })
}

/** The log of each day, from the first to the last. */
async function checkLog(
  archive: Archive,
  manifest: Json,
  about: About,
  { check, skip }: Checker,
): Promise<{ heads: Heads; keys: LogKey[] }> {
  const heads: Heads = { seals: undefined, open: undefined }
  let keys: LogKey[] = []
  if (!about.withProofs) {
    skip('log', 'Log', 'The archive was made without proofs. Export the period again with them.')
    skip('completeness', 'Days', 'Without proofs, missing records can’t be noticed.')
    return { heads, keys }
  }
  const days = daysOf(manifest)
  await check('log', 'Keys of the log', async () => {
    keys = lines(await archive.text('data/keys/vkeys.txt')).map(parseLogKey)
    return `${keys.length} verifier keys, which the seal covers.`
  })
  const { externalId } = about.tenant
  for (const day of days) {
    let head: Head | undefined
    await check('log', `Log of ${day.date}`, async () => {
      head = await checkHead(archive, day, { externalId, keys })
      if (day.open) heads.open = head.note
      return await checkDay(archive, day, head, about, () => undefined)
    })
    if (day.open) continue
    await check('log', `Seal of ${day.date}`, async () => {
      if (head === undefined) throw new Broken('The day’s checkpoint does not hold.')
      if (about.formatVersion === 1 && !archive.has(`data/proofs/${day.date}.seal.tlog-proof`))
        throw new NotChecked('The archive does not show that the day is in the log of closed days.')
      const { note, index } = await checkSealProof(archive, day.date, head, { externalId, keys })
      if (heads.seals === undefined || note.size >= heads.seals.size) heads.seals = note
      return `The day is entry ${index} of ${note.size} in the signed log of closed days.`
    })
  }
  if (about.formatVersion === 1) {
    skip(
      'log',
      'Rows',
      'Archives of version 1 bind no rows to the log: the audit records are proved, the other files are only sealed.',
    )
    skip('completeness', 'Rows', 'Archives of version 1 can’t show that nothing is missing.')
  }
  return { heads, keys }
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
