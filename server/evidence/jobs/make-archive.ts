import { demoMark, isDemoTenant } from '#lib/verify/demo.ts'
import { findNow } from '#server/audit/coverage-store.ts'
import { type Bag, openBag, type SealedBag } from '#server/evidence/archive/bag.ts'
import type { Coverage } from '#server/evidence/archive/coverage.ts'
import { manifestOf } from '#server/evidence/archive/manifest.ts'
import { timeStampOf } from '#server/evidence/archive/time-stamp.ts'
import { verifyDraft } from '#server/evidence/archive/verify-draft.ts'
import { collect } from '#server/evidence/collect/collect.ts'
import { firstOmissions, isComplete, type LeftOut } from '#server/evidence/collect/left-out.ts'
import { reportDamaged } from '#server/evidence/collect/report-damaged.ts'
import { heldSigningKey } from '#server/kernel/keys/signing-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { advance, type ClaimedExport } from './export-claim.ts'
import { countingLines, progressOf } from './progress.ts'
import { hashingFile } from './scratch.ts'
import { verifyWritten } from './verify-written.ts'

/** A verified archive in the scratch folder. `omissions` are the first ones; the archive contains all. */
export type MadeArchive = {
  row: ClaimedExport['row']
  manifest: Buffer
  manifestSha256: string
  bytes: number
  sha256: string
  omissions: LeftOut[]
  complete: boolean
}

/** Collects, seals and verifies the archive in `path`. `expected`: about how many records it will contain. */
export async function makeArchive(
  run: ClaimedExport,
  covered: Coverage,
  path: string,
  expected: number,
): Promise<MadeArchive> {
  const progress = progressOf(run)
  const file = await hashingFile(path)
  try {
    await advance(run, 'collecting')
    await progress.begin({ stage: 'collecting', unit: 'records', done: 0, total: expected })
    const bag = openBag({ exportId: run.row.id, out: file.out, demo: isDemoTenant(run.tenant.externalId) })
    const leftOut = await collect(run, countingLines(bag, progress), covered)
    await reportDamaged(run.tenant.id, leftOut)
    await advance(run, 'sealing')
    const sealed = await seal(run, bag, covered, leftOut)
    const written = file.result()
    const { user, system } = process.cpuUsage()
    await advance(run, 'verifying')
    await progress.begin({ stage: 'verifying', unit: 'bytes', done: 0, total: written.bytes })
    await verifyWritten(path, written, progress.add)
    await verifyDraft(run, path)
    logCost(run.row.id, written.bytes, { user, system })
    return {
      row: run.row,
      manifest: sealed.manifestBytes,
      manifestSha256: sealed.manifestSha256,
      ...written,
      omissions: firstOmissions(leftOut),
      complete: isComplete(leftOut),
    }
  } finally {
    file.out.destroy()
  }
}

/** The processor time of this process, of which `written` was before the verification. */
function logCost(exportId: string, bytes: number, written: NodeJS.CpuUsage): void {
  const [before, all] = [written, process.cpuUsage()].map(({ user, system }) => Math.round((user + system) / 1000)) as [
    number,
    number,
  ]
  runtime().log.info({ exportId, bytes, madeCpuMs: before, verifiedCpuMs: all - before }, 'an archive was made')
}

async function seal(run: ClaimedExport, bag: Bag, covered: Coverage, leftOut: readonly LeftOut[]): Promise<SealedBag> {
  const { tenant } = run
  // A key that is replaced now is valid until after this time: both are by the database's clock, one after the other.
  const { key, sealedAt } = await runtime().database.inTenant(tenant.id, async (tx) => ({
    key: await heldSigningKey(tx, tenant.id, 'evidence'),
    sealedAt: await findNow(tx),
  }))
  const publicKeyPem = key.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return await bag.seal({
    manifest: (files, payloadOxum) =>
      manifestOf(run, covered, leftOut, { keyId: key.id, publicKeyPem }, sealedAt, files, payloadOxum),
    signingKey: key.privateKey,
    timeStamp: timeStampOf,
    publicKeyPem,
    info: {
      'Source-Organization': tenant.name.replaceAll(/\s+/g, ' '),
      'Bagging-Date': sealedAt.toISOString().slice(0, 10),
      ...(isDemoTenant(tenant.externalId) ? { 'External-Description': demoMark } : {}),
    },
  })
}
