import type { Archive } from './archive.ts'
import {
  allBoundIn,
  asOfIn,
  checkAfterBorder,
  checkBorder,
  comparableSpans,
  isBefore,
  spansBoundIn,
  stepsIn,
} from './border.ts'
import { Broken, type Json, lines, member } from './bytes.ts'
import { chainedFrom, restores } from './chain.ts'
import { counted } from './counted.ts'
import { type Beginning, checkDays, checkLateDays, lastClosed, lateDays, partialDays, scopeOf } from './days.ts'
import { passkeyVotes } from './decisions/passkeys.ts'
import { requestDigests } from './decisions/requests.ts'
import type { Heads } from './freshness.ts'
import { most } from './limits.ts'
import { checkDay, checkHead, checkSealProof, daysOf, type Head, isUnder, newestSeals, otherRecords } from './log.ts'
import { type LogKey, type Note, parseLogKey } from './note.ts'
import { memoryRoom } from './objects.ts'
import { obligations, stateIn } from './obligations.ts'
import { olderRecords } from './older-records.ts'
import { checkOtherRecords } from './other-records.ts'
import { rawValues } from './raw-values.ts'
import { type About, type Checker, NotChecked, type VerdictName } from './report.ts'
import { commitments, typesWithoutRows } from './rows.ts'
import { telemetrySpans } from './spans.ts'
import { traceLines } from './traces.ts'

// The verdicts on the log and on completeness.

/**
 * `closedUntil`: the last day that the newest head of closed days contains, where the archive shows it. `openBefore`: heads of days that
 * were open, too, before the one in `heads`, the oldest first.
 */
export type CheckedLog = { heads: Heads; openBefore: Note[]; keys: LogKey[]; closedUntil: string | undefined }

export async function checkLog(
  archive: Archive,
  manifest: Json,
  about: About,
  { check, skip }: Checker,
): Promise<CheckedLog> {
  const heads: Heads = { seals: undefined, open: undefined }
  const openBefore: Note[] = []
  let keys: LogKey[] = []
  if (!about.withProofs) {
    skip('log', 'Log', 'The archive was made without proofs. Export the period again with them.')
    skip('completeness', 'Days', 'Without proofs, missing records can’t be noticed.')
    return { heads, openBefore, keys, closedUntil: undefined }
  }
  const [days, version] = [daysOf(manifest), about.formatVersion]
  await check('log', 'Keys of the log', async () => {
    keys = lines(await archive.text('data/keys/vkeys.txt', most.keysBytes)).map(parseLogKey)
    return `${keys.length} verifier keys, which the seal covers.`
  })
  const { externalId } = about.tenant
  if (version > 1)
    await check('log', 'Log of closed days', async () => {
      heads.seals = await newestSeals(archive, { externalId, keys })
      return heads.seals === undefined
        ? 'No day was closed yet.'
        : `Its signed head has ${counted(heads.seals.size, 'day', 'days')}; all closed days in the archive must be proved to it.`
    })
  const beginning: Beginning = { places: new Map(), created: undefined }
  const room = memoryRoom()
  const owed = obligations(room)
  const asOf = asOfIn(manifest)
  const allBound = allBoundIn(manifest)
  const traces = traceLines(about.period, room)
  const requests = requestDigests()
  const raw = rawValues(archive, room)
  const addSpan = (span: Json) => {
    traces.add(span)
    raw.addSpan(span)
  }
  const withoutRows = typesWithoutRows(archive, { spans: spansBoundIn(manifest), steps: stepsIn(manifest) })
  const committed = commitments(asOf, { allBound, withoutRows, room }, (type, row) => {
    if (type === 'span') addSpan(stateIn(row))
    else requests.add(type, row)
  })
  const spans = telemetrySpans(room, addSpan, raw.addResource)
  const votes = passkeyVotes(room)
  const restored = restores()
  const older = olderRecords(manifest)
  // What does not fit into memory is missing from every comparison, which then says so.
  const remember = (work: () => void) => {
    try {
      if (!room.isFull()) work()
    } catch (error) {
      if (!(error instanceof NotChecked)) throw error
    }
  }
  const compare = (verdict: VerdictName, name: string, work: () => Promise<string>) =>
    check(verdict, name, async () => {
      room.require()
      return await work()
    })
  const limited = scopeOf(manifest)
  if (asOf !== undefined)
    await check('log', 'Rows read at', async () => {
      checkBorder(asOf, days)
      return 'The rows show one moment, shortly before the archive was sealed.'
    })
  // Without bound rows, the file still has the records of requests whose spans began in the period and arrived outside it.
  if (asOf !== undefined && (allBound || archive.has(otherRecords))) {
    // Days that were open when the rows were read may not have been closed since.
    const open = (date: string) => asOf.some((day) => day.date === date)
    await check('log', 'Other records', () =>
      checkOtherRecords(archive, about, { keys, open, seals: heads.seals }, (seen) => {
        older.add(seen)
        remember(() => {
          committed.add(seen, false)
          spans.add(seen, false)
          if (member(seen.record, 'action') === 'passkey.registered') votes.add(seen)
        })
      }),
    )
  }
  for (const day of days) {
    let head: Head | undefined
    await check('log', `Log of ${day.date}`, async () => {
      head = await checkHead(archive, day, { externalId, keys })
      if (day.open) {
        // An empty day needs no head from elsewhere.
        if (heads.open !== undefined && heads.open.size > 0) openBefore.push(heads.open)
        heads.open = head.note
      }
      restored.addHead(head.note)
      return await checkDay(archive, day, head, about, limited !== undefined, (seen) => {
        restored.addRecord(seen.record)
        if (member(seen.record, 'action') === 'tenant.created') beginning.created ??= day.date
        if (version === 1) return
        older.add(seen)
        // The rows can't show what was recorded after they were read.
        const known = isBefore(asOf, seen)
        if (!known) checkAfterBorder(seen, about.sealedAt)
        remember(() => {
          committed.add(seen)
          if (known) for (const one of [owed, votes, spans]) one.add(seen)
        })
      })
    })
    if (day.open) continue
    await check('log', `Seal of ${day.date}`, async () => {
      if (head === undefined) throw new Broken('The day’s checkpoint does not hold.')
      if (version === 1 && !archive.has(`data/proofs/${day.date}.seal.tlog-proof`))
        throw new NotChecked('The archive does not show that the day is in the log of closed days.')
      const { note, index } = await checkSealProof(archive, `data/proofs/${day.date}`, head, { externalId, keys })
      const entry = `The day is entry ${index} of ${note.size} in`
      if (version === 1) {
        if (heads.seals === undefined || note.size >= heads.seals.size) heads.seals = note
      } else if (!isUnder(note, heads.seals))
        // Wherever two heads were mixed, the archive's was read last.
        throw new (note.size > (heads.seals?.size ?? 0) ? Broken : NotChecked)(
          `${entry} a signed log of closed days. Whether that is the one whose head of ${heads.seals?.size} the archive has, nothing in it shows. Export the period again.`,
        )
      beginning.places.set(day.date, index)
      return `${entry} the signed log of closed days.`
    })
  }
  if (restored.any()) await check('log', 'Restore', async () => restored.describe())
  if (version === 1) {
    skip(
      'log',
      'Rows',
      'Archives of version 1 bind no rows to the log: the audit records are proved, the other files are only sealed.',
    )
    skip('completeness', 'Rows', 'Archives of version 1 can’t show that nothing is missing.')
    return { heads, openBefore, keys, closedUntil: lastClosed(beginning, heads.seals) }
  }
  const late = lateDays(days, about.sealedAt, beginning.places, heads.seals)
  if (late.length > 0) await check('log', 'Open days', async () => checkLateDays(late))
  await check('log', 'Earlier archive', () => chainedFrom(archive, manifest, heads, { externalId, keys }))
  if (older.any()) await check('log', 'Older than their binding', async () => older.describe())
  await compare('log', 'Rows', () => committed.check(archive))
  // Without the values there is nothing to compare, and nothing is missed: a masked archive was requested that way.
  if (requests.any()) await compare('log', 'Requests', async () => requests.check())
  const comparable = comparableSpans(manifest)
  if (spans.any(archive)) {
    await compare('log', 'Spans', async () => {
      if (comparable) return await spans.check(archive)
      throw new NotChecked('The archive was made by a version that did not prove its spans: only the seal covers them.')
    })
  }
  if (comparable && traces.any(archive))
    await compare('log', 'Traces', async () => {
      if (committed.isRead() && spans.isRead(archive)) return await traces.check(archive)
      throw new NotChecked('The list of traces is compared with the spans in the archive, which could not all be read.')
    })
  if (raw.any())
    await compare('log', 'Unmasked values', async () => {
      if (comparable && committed.isRead() && spans.isRead(archive)) return await raw.check()
      throw new NotChecked(
        'The unmasked values are compared with the spans in the archive, which could not all be read or are not proved.',
      )
    })
  if (votes.any()) await compare('log', 'Passkeys', () => votes.check(archive))
  await check('completeness', 'Days', async () => checkDays(days, about, beginning))
  const partial = partialDays(days, about)
  if (partial.length > 0)
    skip(
      'completeness',
      'Parts of days',
      `The period covers only a part of ${partial.join(', ')}. Export whole days (UTC) to have all their records.`,
    )
  if (limited !== undefined)
    skip('completeness', 'Rows', `The archive is limited to ${limited}; what else happened is not in it.`)
  else
    await compare('completeness', 'Rows', async () => {
      const found = await owed.check(archive)
      await committed.checkMissing(archive)
      return found
    })
  if (comparable && limited === undefined && spans.recorded())
    await compare('completeness', 'Spans', async () => spans.checkMissing())
  return { heads, openBefore, keys, closedUntil: lastClosed(beginning, heads.seals) }
}
