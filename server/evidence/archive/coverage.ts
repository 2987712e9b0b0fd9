import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { findBeginning, findPart, findTimeAfter, type LogPart } from '#server/audit/coverage-store.ts'
import { noteReader } from '#server/audit/notes/checkpoint-note.ts'
import { noClosedDays, type SealsHead } from '#server/audit/sealing/day-seal.ts'
import { type LogName, sealLog } from '#server/audit/sealing/log-name.ts'
import { checkedDay, LogBroken, type SignedDay } from '#server/audit/sealing/read-day.ts'
import { findLatestSealCheckpoint } from '#server/audit/sealing/seal-store.ts'
import { datesOf, sealDates, signDate } from '#server/audit/sealing/sign-period.ts'
import type { LogOwner } from '#server/audit/store.ts'
import { consistencyAt } from '#server/audit/tree/tree.ts'
import { cosignedNote } from '#server/audit/witnesses/cosigned.ts'
import { requireLogged } from '#server/evidence/as-logged.ts'
import type { ClaimedExport } from '#server/evidence/jobs/export-claim.ts'
import { findManifest, findRecorded } from '#server/evidence/store.ts'
import { IntegrityFailed } from '#server/kernel/bound/integrity-failed.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findArchiveBefore } from './archive-before-store.ts'

const dayMs = 24 * 3600 * 1000

/**
 * The head of the log of closed days with its cosignatures, to which the places of all days in the archive are proved. An archive does
 * not need it before the first day is closed.
 */
export type SealHead = SealsHead & { verifierKey: string }
/** The archive before this one; `consistency` (base64) leads from the head that it knew to the present one. */
export type ArchiveBefore = {
  exportId: string
  manifestSha256: string
  seals: string | null
  consistency: string[]
  verifierKey: string | undefined
}
/** The state of the database that the rows of an archive show. */
export type RowsAsOf = {
  /** The name of the snapshot, as long as the transaction that has it is open. */
  snapshot: string
  /** The days of the log that were open then, with their numbers of records. Later records may contradict the rows. */
  asOf: { date: string; size: number }[]
  /** When all of the tenant's rows were bound to the log; undefined before. */
  boundSince: Date | undefined
  /** The same for spans of executions, which a later version bound. */
  spansBoundSince: Date | undefined
  /** The first record with a mac of this service; undefined if all have one. */
  keyedFrom?: { date: string; seq: number } | undefined
}
/** A day of the log, and which of its records are in the archive. */
export type CoveredDay = SignedDay & LogPart
/** What an archive covers: the part of the requested period between the beginning of the log and its newest signed head. */
export type Coverage = {
  period: { start: Date; end: Date }
  days: readonly CoveredDay[]
  seals: SealHead | undefined
  before: ArchiveBefore | undefined
  rows: RowsAsOf
}

export type CoverageSteps = {
  /** `days`: how many days are checked. */
  begin(days: number): Promise<void>
  /** Called with each day, and with the log of closed days. */
  check<T>(log: LogName, work: () => Promise<T>): Promise<T>
}

/**
 * Signs the new records of each day of the period, closes days that are over, and checks the signatures. The records are
 * hashed again while they are written: a day that differs from its signature fails the export before it is published.
 * Throws LogBroken, LogRefused, SigningWaits, or IntegrityFailed about the archive before this one.
 */
export async function coverageOf(
  run: ClaimedExport,
  rows: RowsAsOf,
  { begin, check }: CoverageSteps,
): Promise<Coverage> {
  const { tenant, row } = run
  const inTenant = <T>(work: (tx: Transaction) => Promise<T>) => runtime().database.inTenant(tenant.id, work)
  const previous = await inTenant((tx) => lastArchive(tx, run))
  // Repeats what a signer remembered and did not store before it was killed.
  await check(sealLog, () => sealDates(tenant))
  const dates = await check(sealLog, () => datesOf(tenant, { start: row.startAt, end: row.endAt }))
  await begin(dates.length)
  for (const date of dates) await check(date, () => signDate(tenant, date))
  // Rows that changed after the period name records of these days.
  for (const { date } of rows.asOf) if (!dates.includes(date)) await check(date, () => signDate(tenant, date))
  await check(sealLog, () => sealDates(tenant))
  // Read before the days: one that is closed while they are read is open in this archive.
  const seals = await check(sealLog, () => inTenant((tx) => sealHead(tx, tenant)))
  const days: SignedDay[] = []
  for (const date of dates)
    days.push(await check(date, () => inTenant((tx) => checkedDay(tx, tenant, date, seals ?? noClosedDays))))
  return await check(sealLog, () =>
    inTenant(async (tx) => {
      const period = await coveredPeriod(tx, run, days)
      const before = previous && (await archiveBefore(tx, tenant, previous, seals))
      return { period, days: await partsOf(tx, run, days, period), seals, before, rows }
    }),
  )
}

async function coveredPeriod(
  tx: Transaction,
  { tenant, row }: ClaimedExport,
  days: readonly SignedDay[],
): Promise<Coverage['period']> {
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) throw new LogBroken('The period contains no day of the log.')
  const beginning = (await findBeginning(tx, tenant.id))?.getTime() ?? 0
  const after = last.open ? await findTimeAfter(tx, tenant.id, last) : undefined
  const nextMidnight = Date.parse(last.date) + dayMs
  return {
    start: new Date(Math.max(row.startAt.getTime(), beginning)),
    end: new Date(Math.min(row.endAt.getTime(), after?.getTime() ?? nextMidnight, nextMidnight)),
  }
}

/** Whole days, except where the request begins or ends within one. A day's log begins with records from shortly before midnight. */
async function partsOf(
  tx: Transaction,
  { tenant, row }: ClaimedExport,
  days: readonly SignedDay[],
  { start, end }: Coverage['period'],
): Promise<CoveredDay[]> {
  const covered: CoveredDay[] = []
  const cut = row.endAt > end
  for (const day of days) {
    const midnight = Date.parse(day.date)
    const part = await findPart(tx, tenant.id, day, {
      start: start.getTime() > midnight ? start : undefined,
      end: end.getTime() < midnight + dayMs && !cut ? end : undefined,
    })
    covered.push({ ...day, ...part })
  }
  return covered
}

async function sealHead(tx: Transaction, tenant: LogOwner): Promise<SealHead | undefined> {
  const last = await findLatestSealCheckpoint(tx, tenant.id)
  if (last === undefined || last.size === 0) return undefined
  const read = (await noteReader(tx, tenant))(sealLog, last.note)
  if (!read.ok) throw new LogBroken(`The checkpoint of the seal log: ${read.reason}`)
  const { size, root } = last
  return { size, root, note: await cosignedNote(tx, tenant.id, last), verifierKey: read.verifierKey }
}

/** The last archive, compared with its records. Throws IntegrityFailed. */
async function lastArchive(tx: Transaction, { tenant, row }: ClaimedExport): Promise<Previous | undefined> {
  const id = await findArchiveBefore(tx, tenant.id, row.id)
  if (id === undefined) return undefined
  const found = await findRecorded(tx, tenant.id, id)
  if (found === undefined)
    throw new IntegrityFailed({ tenantId: tenant.id, type: 'evidence_export', id, reason: 'It was deleted.' })
  await requireLogged(tx, tenant, found)
  const manifest = await findManifest(tx, tenant.id, found)
  if (manifest === null || found.manifestSha256 === null) throw new Error(`The export ${id} changed while it was read.`)
  return { exportId: id, manifestSha256: found.manifestSha256, seals: sealsOf(JSON.parse(String(manifest))) }
}

type Previous = { exportId: string; manifestSha256: string; seals: string | undefined }

async function archiveBefore(
  tx: Transaction,
  tenant: LogOwner,
  { seals: note, ...named }: Previous,
  seals: SealHead | undefined,
): Promise<ArchiveBefore> {
  if (note === undefined) return { ...named, seals: null, consistency: [], verifierKey: undefined }
  const read = (await noteReader(tx, tenant))(sealLog, note)
  if (!read.ok) throw new LogBroken(`The closed days that the archive ${named.exportId} knew: ${read.reason}`)
  const { size } = read.checkpoint
  const path =
    seals === undefined || size > seals.size
      ? undefined
      : await consistencyAt(tx, { tenantId: tenant.id, name: sealLog }, size, seals.size)
  if (path === undefined) throw new LogBroken(`The log has fewer closed days than the archive ${named.exportId} knew.`)
  return {
    ...named,
    seals: note,
    consistency: path.map((node) => node.toString('base64')),
    verifierKey: read.verifierKey,
  }
}

/** The head of closed days in a manifest; undefined when it knew none, and before version 2. */
function sealsOf(manifest: JsonValue): string | undefined {
  const heads = isJsonObject(manifest) ? manifest.heads : undefined
  return isJsonObject(heads) && typeof heads.seals === 'string' ? heads.seals : undefined
}

/** data/chain.json. */
export const chainFile = ({ before }: Coverage): string =>
  `${JSON.stringify(
    {
      previous:
        before === undefined
          ? null
          : {
              exportId: before.exportId,
              manifestSha256: before.manifestSha256,
              seals: before.seals,
              consistency: before.consistency,
            },
    },
    null,
    2,
  )}\n`
