import { setTimeout } from 'node:timers/promises'
import { raiseAlarm, refusedMemory } from '#server/audit/alarms/raise-alarm.ts'
import { LogRefused, MemoryRefused } from '#server/audit/sealing/log-refused.ts'
import { LogBroken } from '#server/audit/sealing/read-day.ts'
import { SigningWaits } from '#server/audit/sealing/signing-waits.ts'
import { ArchiveRefused } from '#server/evidence/archive/archive-refused.ts'
import { type CoverageSteps, coverageOf } from '#server/evidence/archive/coverage.ts'
import { requireLogged, requireSameName } from '#server/evidence/as-logged.ts'
import { estimateExport } from '#server/evidence/estimate/estimate.ts'
import type { ArchiveOf, ArchiveStore } from '#server/evidence/places/archives.ts'
import { currentStore, storeOf } from '#server/evidence/places/place.ts'
import { StoreFailed } from '#server/evidence/places/store-failed.ts'
import { archiveNameOf, findRecorded, lockExport, setPlace } from '#server/evidence/store.ts'
import { IntegrityFailed } from '#server/kernel/bound/integrity-failed.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tellChannels } from '#server/notifications/tell-channels.ts'
import {
  advance,
  type ClaimedExport,
  checkStillOurs,
  claim,
  isSuperseded,
  Superseded,
  transition,
} from './export-claim.ts'
import { exportQueue } from './export-queue.ts'
import type { MadeArchive } from './make-archive.ts'
import { type Progress, progressOf } from './progress.ts'
import { withRowsAsOf } from './rows-as-of.ts'
import { NoSpace, openScratch, removeScratch, requireSpace } from './scratch.ts'
import { makeInProcess } from './start-process.ts'
import { watchClaim } from './watch-claim.ts'

/** A store that can't be reached is tried again after these seconds, and then at the last interval. */
const storeAgainAfter = [1, 2, 5, 15, 30]

/**
 * Creates the archive of an export: checks the log, has a process make and verify the archive in the scratch folder, stores and
 * publishes it. Repeated after a crash, it starts again; on an export that has ended it does nothing. A broken log fails the
 * export. Other errors are thrown, so that the queue tries again until the time limit of the export, after which it fails, too.
 * When the process is to end, the export is cut, and left to another process or the next start.
 */
export async function runExport(tenantId: string, exportId: string): Promise<void> {
  const run = await claim(tenantId, exportId)
  if (run === undefined) return
  const watch = watchClaim(run)
  const { cut } = runtime()
  try {
    await makeAndStore(run, AbortSignal.any([watch.signal, cut]))
  } catch (error) {
    if (error instanceof Superseded || (await isSuperseded(run))) return
    if (isRefused(error)) return await fail(run, { code: 'integrity_failed', message: error.message })
    if (cut.aborted) return await leaveToNext(run)
    // Without the database, the queue tries again.
    if (!(await isLate(run).catch(() => false))) throw error
    runtime().log.error({ err: error, exportId }, 'an evidence export kept failing and was abandoned')
    await fail(run, { code: 'unavailable', message: `${whyNot(error)} Request a new export.` })
  } finally {
    await watch.close()
  }
}

const isRefused = (error: unknown): error is Error =>
  error instanceof LogBroken ||
  error instanceof LogRefused ||
  error instanceof ArchiveRefused ||
  error instanceof IntegrityFailed

/** Whether the time limit of the export is over by the database's clock, or will be in `seconds`. */
async function isLate({ tenant, row }: ClaimedExport, seconds = 0): Promise<boolean> {
  const now = await runtime().database.inTenant(tenant.id, async (tx) => (await databaseClock(tx))())
  return now.getTime() + seconds * 1000 >= row.createdAt.getTime() + row.pollTimeoutMs
}

/** The reason for people who may see the export; errors of the program are only in the log. */
function whyNot(error: unknown): string {
  if (error instanceof StoreFailed) return `The archive could not be stored. ${error.message}`
  return error instanceof NoSpace || error instanceof SigningWaits ? error.message : 'The archive could not be created.'
}

/** A new job, because the end of a process is not a failure of this one. */
const leaveToNext = ({ tenant, row }: ClaimedExport): Promise<void> => {
  const { database, queue } = runtime()
  return database.inTenant(tenant.id, (tx) => queue.enqueue(tx, exportQueue, { tenantId: tenant.id, id: row.id }))
}

async function makeAndStore(run: ClaimedExport, signal: AbortSignal): Promise<void> {
  const { tenant, row } = run
  const archive: ArchiveOf = { tenantId: tenant.id, exportId: row.id, run: row.run }
  const progress = progressOf(run)
  // What a crash left of the run before.
  if (row.archivePlace !== null) await storeOf(row.archivePlace).remove(row.archivePlace, archive)
  const path = await openScratch(tenant.id, row.id, row.run)
  try {
    await checkJob(run).catch((error: unknown) => alarmed(run, { kind: 'export', subject: row.id }, error))
    await advance(run, 'preflight')
    // The log is signed after the rows' snapshot was taken, so that it has every record that commits to them.
    const made = await withRowsAsOf(tenant.id, async (rows) => {
      const covered = await coverageOf(run, rows, steps(run, progress, signal)).catch((error: unknown) =>
        // What else it finds has raised its alarm.
        error instanceof IntegrityFailed
          ? alarmed(run, { kind: 'export', subject: row.id }, error)
          : Promise.reject(error),
      )
      const estimate = await runtime().database.inTenant(tenant.id, (tx) => estimateExport(tx, tenant.id, row))
      await requireSpace(estimate.bytes)
      const expected = covered.days.reduce((sum, day) => sum + day.size, estimate.objects)
      return await makeInProcess({ run, covered, path, expected }, signal).catch((error: unknown) =>
        alarmed(run, { kind: 'export', subject: row.id }, error),
      )
    })
    run.row = made.row
    await progress.begin({ stage: 'storing', unit: 'bytes', done: 0, total: made.bytes })
    await storeAndPublish(run, archive, { path, made, progress }, signal)
  } finally {
    await removeScratch(tenant.id, row.id, { before: row.run + 1 })
  }
}

/** What the archive is about comes from rows that no archive contains. Throws IntegrityFailed. */
const checkJob = ({ tenant, row }: ClaimedExport): Promise<void> =>
  runtime().database.inTenant(tenant.id, async (tx) => {
    const recorded = await findRecorded(tx, tenant.id, row.id)
    if (recorded !== undefined) await requireLogged(tx, tenant, recorded)
    await requireSameName(tx, tenant)
  })

/** Counts the days that are checked, and ends with the claim. Raises an alarm for one that does not agree. */
const steps = (run: ClaimedExport, progress: Progress, signal: AbortSignal): CoverageSteps => ({
  begin: (total) => progress.begin({ stage: 'preflight', unit: 'days', done: 0, total }),
  async check(log, work) {
    signal.throwIfAborted()
    await checkStillOurs(run)
    const done = await work().catch((error: unknown) => alarmed(run, { kind: 'preflight', subject: log }, error))
    progress.add(1)
    return done
  },
})

/** Raises an alarm for a log that does not agree, and throws the error again. */
async function alarmed(
  { tenant }: ClaimedExport,
  about: { kind: 'preflight' | 'export'; subject: string },
  error: unknown,
): Promise<never> {
  if (isRefused(error))
    await raiseAlarm(
      tenant.id,
      error instanceof MemoryRefused ? refusedMemory(error) : { ...about, reason: error.message },
    )
  throw error
}

type Made = { path: string; made: MadeArchive; progress: Progress }

/** Whatever is in the store and was not published is removed again. */
async function storeAndPublish(run: ClaimedExport, archive: ArchiveOf, made: Made, signal: AbortSignal): Promise<void> {
  const store = currentStore()
  const place = store.placeFor(archive)
  const { tenant, row } = run
  const noted = await runtime().database.inTenant(tenant.id, (tx) =>
    setPlace(tx, { tenantId: tenant.id, id: row.id, run: row.run }, place),
  )
  if (!noted) throw new Superseded(`Export ${row.id} is no longer this run's.`)
  let published = false
  try {
    await storeAgain(run, store, place, archive, made, signal)
    await publish(run, store, place, archive, made.made)
    published = true
  } finally {
    if (!published)
      await store.discard(place, archive).catch((error: unknown) => {
        runtime().log.warn(
          { err: error, place },
          'an unpublished archive could not be removed; the next run tries again',
        )
      })
  }
}

/** Until the time limit of the export, because making the archive again would cost more than waiting. */
async function storeAgain(
  run: ClaimedExport,
  store: ArchiveStore,
  place: string,
  archive: ArchiveOf,
  { path, made, progress }: Made,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    let stored = 0
    const onBytes = (count: number) => {
      stored += count
      progress.add(count)
    }
    try {
      return await store.store(place, archive, { path, bytes: made.bytes, sha256: made.sha256, onBytes }, signal)
    } catch (error) {
      signal.throwIfAborted()
      const seconds = storeAgainAfter[Math.min(attempt, storeAgainAfter.length - 1)] ?? 1
      if (!(error instanceof StoreFailed) || (await isLate(run, seconds))) throw error
      runtime().log.warn({ err: error, place }, 'an archive could not be stored and will be tried again')
      progress.add(-stored)
      await setTimeout(seconds * 1000, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}

/** Locks the row while the archive gets its name, so that the archive and the manifest in the row are from the same run. */
async function publish(
  run: ClaimedExport,
  store: ArchiveStore,
  place: string,
  archive: ArchiveOf,
  made: MadeArchive,
): Promise<void> {
  const { tenant, row } = run
  await runtime().database.inTenant(tenant.id, async (tx) => {
    const locked = await lockExport(tx, tenant.id, row.id)
    if (locked?.revision !== row.revision) throw new Superseded(`Export ${row.id} is no longer this run's.`)
    await store.publish(place, archive)
    await transition(tx, run, made.complete ? 'completed' : 'completed_with_omissions', {
      omissions: made.omissions,
      manifest: made.manifest,
      manifestSha256: made.manifestSha256,
      archiveName: archiveNameOf(row.id),
      archiveBytes: made.bytes,
      archiveSha256: made.sha256,
      archivePlace: place,
    })
    await tellChannels(tx, tenant.id, 'export.ready', row.id)
  })
}

/** The process of the export has changed the row in the meantime, and its run is still this one. */
async function fail({ tenant, row }: ClaimedExport, error: { code: string; message: string }): Promise<void> {
  await runtime().database.inTenant(tenant.id, async (tx) => {
    const now = await lockExport(tx, tenant.id, row.id)
    if (now?.run === row.run && now.endedAt === null) await transition(tx, { tenant, row: now }, 'failed', { error })
  })
}
