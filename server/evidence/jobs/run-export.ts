import { LogRefused } from '#server/audit/sealing/log-refused.ts'
import { LogBroken } from '#server/audit/sealing/read-day.ts'
import { type Draft, openDraft } from '#server/evidence/archive/archive-file.ts'
import { type Bag, openBag, type SealedBag } from '#server/evidence/archive/bag.ts'
import { type Coverage, coverageOf } from '#server/evidence/archive/coverage.ts'
import { listedOmissions, manifestOf } from '#server/evidence/archive/manifest.ts'
import { timeStampOf } from '#server/evidence/archive/time-stamp.ts'
import { ArchiveRefused, verifyDraft } from '#server/evidence/archive/verify-draft.ts'
import { collect } from '#server/evidence/collect/collect.ts'
import type { LeftOut } from '#server/evidence/collect/raw-payloads.ts'
import { lockExport } from '#server/evidence/store.ts'
import { pollTimeoutMs } from '#server/evidence/view.ts'
import { currentSigningKey } from '#server/kernel/keys/signing-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { advance, type ClaimedExport, claim, Superseded, transition } from './export-claim.ts'

/**
 * Creates the archive of an export: checks the log, collects, seals, publishes. Repeated after a crash, it starts the file
 * again; on an export that has ended it does nothing. A broken log fails the export. Other errors are thrown, so that the
 * queue tries again until the time limit for the export, after which it fails, too.
 */
export async function runExport(tenantId: string, exportId: string): Promise<void> {
  const run = await claim(tenantId, exportId)
  if (run === undefined) return
  try {
    await advance(run, 'preflight')
    const covered = await coverageOf(run)
    await advance(run, 'collecting')
    await makeArchive(run, covered)
  } catch (error) {
    if (error instanceof Superseded) return
    if (error instanceof LogBroken || error instanceof LogRefused || error instanceof ArchiveRefused)
      return await fail(run, { code: 'integrity_failed', message: error.message })
    if (Date.now() - run.row.createdAt.getTime() < pollTimeoutMs) throw error
    runtime().log.error({ err: error, exportId }, 'an evidence export kept failing and was abandoned')
    await fail(run, { code: 'unavailable', message: 'The archive could not be created. Request a new export.' })
  }
}

async function makeArchive(run: ClaimedExport, covered: Coverage): Promise<void> {
  const draft = await openDraft(run.tenant.id, run.row.id)
  try {
    const bag = openBag({ exportId: run.row.id, out: draft.out })
    const leftOut = await collect(run, bag, covered)
    await advance(run, 'sealing')
    const sealed = await seal(run, bag, covered, leftOut)
    await verifyDraft(run, draft, covered)
    await publish(run, draft, sealed, leftOut)
  } finally {
    await draft.discard()
  }
}

async function seal(run: ClaimedExport, bag: Bag, covered: Coverage, leftOut: readonly LeftOut[]): Promise<SealedBag> {
  const { tenant } = run
  const key = await runtime().database.inTenant(tenant.id, (tx) => currentSigningKey(tx, tenant.id, 'evidence'))
  const publicKeyPem = key.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const sealedAt = new Date()
  return await bag.seal({
    manifest: (files, payloadOxum) =>
      manifestOf(run, covered, leftOut, { keyId: key.id, publicKeyPem }, sealedAt, files, payloadOxum),
    signingKey: key.privateKey,
    timeStamp: timeStampOf,
    publicKeyPem,
    info: {
      'Source-Organization': tenant.name.replaceAll(/\s+/g, ' '),
      'Bagging-Date': sealedAt.toISOString().slice(0, 10),
    },
  })
}

/** Locks the row while the file is renamed, so that the archive and the manifest in the row are from the same run. */
async function publish(
  run: ClaimedExport,
  draft: Draft,
  sealed: SealedBag,
  leftOut: readonly LeftOut[],
): Promise<void> {
  const { tenant, row } = run
  await runtime().database.inTenant(tenant.id, async (tx) => {
    const locked = await lockExport(tx, tenant.id, row.id)
    if (locked?.revision !== row.revision) throw new Superseded(`Export ${row.id} is no longer this run's.`)
    await draft.publish()
    await transition(tx, run, leftOut.length === 0 ? 'completed' : 'completed_with_omissions', {
      omissions: leftOut.slice(0, listedOmissions),
      manifest: sealed.manifestBytes,
      manifestSha256: sealed.manifestSha256,
      archiveName: `evidence-room-${row.id}.zip`,
      archiveBytes: sealed.totalBytes,
    })
  })
}

async function fail(run: ClaimedExport, error: { code: string; message: string }): Promise<void> {
  try {
    await runtime().database.inTenant(run.tenant.id, (tx) => transition(tx, run, 'failed', { error }))
  } catch (failure) {
    if (!(failure instanceof Superseded)) throw failure
  }
}
