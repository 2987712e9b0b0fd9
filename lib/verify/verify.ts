import { adjacentTo } from './adjacent.ts'
import { type Archive, archiveOf } from './archive.ts'
import { Broken, type Json, member, minuteOf, parseLine } from './bytes.ts'
import { checkLog } from './check-log.ts'
import type { Source } from './container/source.ts'
import { openZip } from './container/zip.ts'
import { all } from './counted.ts'
import { checkLive, checkOpenBefore, dated, type Heads, knownUntil } from './freshness.ts'
import { onlySealed, unknownIn } from './known.ts'
import { most } from './limits.ts'
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
import { checkAuthority, readTimeStamp, type TimeStamp } from './time-stamps/time-stamp.ts'
import { checkWitnesses, publishedWitnesses, signersAmong, typedWitnessKeys } from './witnesses.ts'

/** Facts from outside the archive. Without them origin and freshness can’t be checked. */
export type Outside = {
  /** The fingerprint of the service's key as the reader knows it, in hex or in words. */
  fingerprint?: string | undefined
  /**
   * The service's log-keys.json, asked for when the archive's heads are known, and again for each day that was open before the newest
   * one. Rejects when it can't be fetched.
   */
  published?: ((archive: { externalId: string; heads: Heads }) => Promise<Json>) | undefined
  /** The archive of the same organisation that was made directly before or after this one. */
  adjacent?: Source | undefined
  /** Keys of witnesses (c2sp.org/tlog-cosignature, `name+id+base64`), separated by white space. */
  witness?: string | undefined
  /** Certificates of the time-stamping authority, in PEM. */
  authority?: (() => Promise<string>) | undefined
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
export async function verifyArchive(file: Source, outside: Outside = {}, listener: Listener = {}): Promise<Report> {
  const report: Omit<Report, 'verdicts' | 'everything'> = {
    exportId: '',
    about: undefined,
    fingerprint: undefined,
    checks: [],
  }
  const made = checker(report.checks, (check) => listener.check?.(check))
  await checkAll(file, outside, listener, report, made).catch(
    async (error: unknown) => void (await made.check('integrity', 'Archive', () => Promise.reject(error))),
  )
  const verdicts = verdictsOf(report.checks)
  return { ...report, verdicts, everything: Object.values(verdicts).every((state) => state === 'holds') }
}

async function checkAll(
  file: Source,
  outside: Outside,
  listener: Listener,
  report: Omit<Report, 'verdicts' | 'everything'>,
  { check, skip, aside }: Checker,
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
    report.about = aboutOf(manifest, true)
    return 'The key in the archive signed its manifest.'
  })
  if (report.about !== undefined) {
    const omissions = await omissionsIn(manifest, opened).catch(async (error: unknown) => {
      await check('completeness', 'Omissions', () => Promise.reject(error))
      return undefined
    })
    report.about = { ...report.about, omissions }
    listener.about?.(report.about)
  }
  const version = report.about?.formatVersion ?? 1
  let files: ReadonlyMap<string, FileFacts> = new Map()
  const unchanged = await check('integrity', 'Files', async () => {
    files = await checkFiles(opened)
    return `${all(files.size, 'file of evidence has', 'files of evidence have')} the listed SHA-256.`
  })
  await check('integrity', 'Description', () => checkDescription(opened, version))
  const { about, fingerprint } = report
  if (about === undefined || fingerprint === undefined || !about.sealed) return
  if (version > 1) await check('integrity', 'Seal of the description', () => checkTagSignature(opened))
  if (unchanged)
    await check('integrity', 'Manifest', () =>
      checkManifest(opened, { manifest, version, exportId: report.exportId, files }),
    )
  const others = unknownIn(opened, manifest)
  if (others.length > 0)
    skip('log', 'Other content', `This verifier does not know ${briefList(others)}: only the seal covers that.`)
  for (const { name, detail } of onlySealed(opened)) aside('log', name, detail)
  await check('integrity', 'Sigstore bundle', () => checkSigstore(opened, version))
  const stamp = await checkTimeStamp(opened, about, check)
  const log = await checkLog(opened, manifest, about, { check, skip, aside }).catch(async (error: unknown) => {
    await check('log', 'Log', () => Promise.reject(error))
    return { heads: { seals: undefined, open: undefined }, openBefore: [], keys: [], closedUntil: undefined }
  })
  // Unlike values that were erased or masked, these are listed because what is stored is not what the service wrote.
  const damaged = about.omissions?.find(({ reason }) => reason === 'integrity_failed')
  if (damaged !== undefined)
    skip(
      'completeness',
      'Damaged values',
      `The service left out what it could no longer decrypt (${damaged.count}): stored values are not the ones that it wrote.`,
    )
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
    if (given !== undefined && (outside.published === undefined || fingerprint.startsWith(typedFingerprint(given))))
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
  let witnessed = false
  if (outside.witness !== undefined) {
    const typed = outside.witness
    witnessed = await check(
      'freshness',
      'Witness',
      async () => await checkWitnesses(log.heads, typedWitnessKeys(typed)),
    )
  }
  await checkStampedTime(stamp, outside, about, check)
  await check('freshness', 'Newest head', () =>
    dated(knownUntil(log, about.sealedAt), async () => {
      // Another fact from elsewhere is enough when the service can't be reached.
      const shown = newer
        ? 'Its newest head is part of the later archive’s.'
        : witnessed && log.heads.open === undefined
          ? 'A witness whose key you gave signed its newest head.'
          : undefined
      const list = shown === undefined ? await known() : await known().catch(() => undefined)
      if (list === undefined && shown !== undefined) return shown
      // A time-stamp shows when the archive existed, and not which log others see.
      if (list === undefined)
        throw new NotChecked(
          witnessed
            ? 'Witnesses sign closed days only. For the open day, a newer head of the log is needed, which the service publishes, or a later archive.'
            : 'A newer head of the log is needed, which the service publishes, a later archive, or the key of a witness that signed this one.',
        )
      const keys = (await succeeding(list, about)).filter((key) => key.purpose === 'log')
      const keysFor = (origin: string) => keys.map(({ key }) => logKeyNamed(origin, key))
      const live = await checkLive(log.heads, member(list, 'heads'), keysFor)
      if (!newer)
        await checkOpenBefore(log.openBefore, keysFor, (open) =>
          outside.published?.({ externalId: about.tenant.externalId, heads: { seals: undefined, open } }),
        )
      return `${live}${await cosigners(log.heads, list)}`
    }),
  )
}

/** The witnesses in the published list that signed the archive's head; Broken if a signature with such a name is wrong. */
async function cosigners({ seals }: Heads, list: Json): Promise<string> {
  if (seals === undefined) return ''
  const { signed } = await signersAmong(seals, publishedWitnesses(list))
  return signed.length === 0 ? '' : ` The service’s witnesses signed the archive’s head, too: ${signed.join(', ')}.`
}

/** Whether the time-stamp covers this archive, which the archive alone shows. Whose it is, only a certificate from elsewhere shows. */
async function checkTimeStamp(
  archive: Archive,
  { timeStampAuthority }: About,
  check: Checker['check'],
): Promise<TimeStamp | undefined> {
  if (timeStampAuthority === undefined && !archive.has(timeStamp)) return undefined
  let stamp: TimeStamp | undefined
  await check('integrity', 'Time-stamp', async () => {
    if (!archive.has(timeStamp))
      throw new Broken(`The manifest names the time-stamp of ${timeStampAuthority}, which is missing.`)
    // Otherwise anyone could add one of their own to a sealed archive.
    if (timeStampAuthority === undefined)
      throw new Broken('The manifest names no authority, so the time-stamp was added after the archive was sealed.')
    stamp = await readTimeStamp(
      await archive.bytes(timeStamp),
      await archive.bytes('manifest.json', most.manifestBytes),
    )
    return `A time-stamp (RFC 3161) covers manifest.json. It states ${minuteOf(stamp.at)}.`
  })
  return stamp
}

/** The seal and the time-stamp follow each other within a minute; clocks may differ. */
const mostApartMs = 24 * 3600 * 1000

/** Whether another organisation signed that the archive existed. Without its certificate, which is then not missed, nothing. */
async function checkStampedTime(
  stamp: TimeStamp | undefined,
  { authority }: Outside,
  { sealedAt }: About,
  check: Checker['check'],
): Promise<void> {
  if (stamp === undefined || authority === undefined) return
  const at = minuteOf(stamp.at)
  await check('freshness', 'Time-stamp', async () => {
    await checkAuthority(stamp, await authority())
    if (!(Math.abs(stamp.at - Date.parse(sealedAt)) < mostApartMs))
      throw new Broken(`The authority signed at ${at}, but the archive states that it was sealed at ${sealedAt}.`)
    return `The authority whose certificate you gave signed at ${at} that this archive existed.`
  })
}

const mostNamed = 5

const briefList = (names: readonly string[]): string =>
  [...names.slice(0, mostNamed), ...(names.length > mostNamed ? [`${names.length - mostNamed} more`] : [])].join(', ')

/** The keys in the list, each signed by the one before it. */
async function succeeding(list: Json, about: About): Promise<PublishedKey[]> {
  const keys = publishedKeys(list, about.tenant.externalId)
  await checkSuccession(keys)
  return keys
}

const omissionList = 'data/omissions.ndjson'
/** Reasons that the service gives have fewer characters, and there are fewer of them. */
const [longestReason, mostReasons] = [40, 20]

/** What was left out, by reason, from the list that the manifest describes. Broken for another list. */
async function omissionsIn(manifest: Json, archive: Archive): Promise<About['omissions']> {
  const counts = new Map<string, number>()
  if (!archive.has(omissionList)) return []
  const files = member(manifest, 'files')
  const described = Array.isArray(files) ? files.find((one) => member(one, 'path') === omissionList) : undefined
  if (member(described, 'sha256') !== (await archive.digest(omissionList)).sha256)
    throw new Broken(`The signed manifest describes a different ${omissionList}.`)
  for await (const line of archive.linesIn(omissionList)) {
    const stated = member(parseLine(line, `A line of ${omissionList}`), 'reason')
    const reason = typeof stated === 'string' && stated.length <= longestReason ? stated : 'unknown'
    if (counts.has(reason) || counts.size < mostReasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return [...counts].map(([reason, count]) => ({ reason, count }))
}
