import { createHash } from 'node:crypto'
import type { JsonObject } from '#lib/json.ts'
import { demoMark, isDemoTenant } from '#lib/verify/demo.ts'
import { kindOf } from '#lib/verify/seal.ts'
import { firstOmissions, isComplete, type LeftOut } from '#server/evidence/collect/left-out.ts'
import type { ClaimedExport } from '#server/evidence/jobs/export-claim.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { type BagFile, sealKeyFingerprint } from './bag.ts'
import type { Coverage } from './coverage.ts'
import { timeStampAuthority } from './time-stamp.ts'

/** Returns manifest.json of an archive. `open` marks a day that continued after its checkpoint. */
export function manifestOf(
  { tenant, row }: ClaimedExport,
  { period, days, seals, before, rows }: Coverage,
  leftOut: readonly LeftOut[],
  signer: { keyId: string; publicKeyPem: string },
  sealedAt: Date,
  files: readonly BagFile[],
  payloadOxum: string,
): JsonObject {
  return {
    type: 'evidence-room-bundle-v1',
    formatVersion: 2,
    specVersion: '1.0',
    exportId: row.id,
    tenant: {
      externalId: tenant.externalId,
      name: tenant.name,
      ...(isDemoTenant(tenant.externalId) ? { demo: demoMark } : {}),
    },
    ...(row.scope === null ? {} : { scope: row.scope }),
    ...(row.purpose === null ? {} : { purpose: row.purpose }),
    period: { start: period.start.toISOString(), end: period.end.toISOString() },
    requestedPeriod: { start: row.startAt.toISOString(), end: row.endAt.toISOString() },
    previousExportId: before?.exportId ?? null,
    heads: { seals: seals?.note ?? null },
    // The rows are those after these records, which the log of each open day then had. `allBound`: each has its commitment.
    // `spansBound`: so does each span of an execution. `steps`: data/ has the steps of executions. `keyedFrom`: earlier records are from a version that put no mac on them.
    rows: {
      asOf: rows.asOf,
      allBound: rows.boundSince !== undefined,
      spansBound: rows.spansBoundSince !== undefined,
      steps: true,
      ...(rows.keyedFrom === undefined ? {} : { keyedFrom: rows.keyedFrom }),
    },
    createdAt: row.createdAt.toISOString(),
    sealedAt: sealedAt.toISOString(),
    createdBy: { type: 'member', id: row.requestedBy },
    status: isComplete(leftOut) ? 'completed' : 'completed_with_omissions',
    options: { includeProofs: row.includeProofs, rawPayloads: row.includeRawPayloads, masked: !row.includeRawPayloads },
    files: files.map((file) => ({ ...file })),
    payloadOxum,
    counts: countsOf(files),
    days: days.map(({ date, size, root, note, open, seal }) => ({
      date,
      size,
      root: root.toString('hex'),
      open,
      checkpointSha256: createHash('sha256').update(note).digest('hex'),
      ...(row.includeProofs
        ? { checkpoint: `data/proofs/${date}.checkpoint`, leaves: `data/proofs/${date}.leaves` }
        : {}),
      ...(row.includeProofs && seal !== undefined ? { sealProof: `data/proofs/${date}.seal.tlog-proof` } : {}),
    })),
    omissions: firstOmissions(leftOut),
    omissionCount: leftOut.length,
    signer: { keyId: signer.keyId, fingerprint: sealKeyFingerprint(signer.publicKeyPem) },
    timeStampAuthority: timeStampAuthority(),
    hashing: { leaf: 'RFC6962-SHA256', canonicalization: 'RFC8785' },
    software: { name: packageJson.name, version: packageJson.version },
  }
}

/** Records by kind, the days' files of a kind together. */
function countsOf(files: readonly BagFile[]): JsonObject {
  const counts: Record<string, number> = {}
  for (const { path, records } of files) {
    if (records === undefined) continue
    const name = kindOf(path)
    counts[name] = (counts[name] ?? 0) + records
  }
  return counts
}
