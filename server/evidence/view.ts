import { z } from 'zod'
import type { Actor } from '#lib/schemas/common.ts'
import { ExportJob, exportStages, Omission } from '#lib/schemas/evidence.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { settingsOf } from '#server/tenants/view.ts'
import type { StoredExport } from './store.ts'

const dayMs = 86_400_000

/** What the sealed manifest says; undefined in lists, and before there is one. */
const SealedFacts = z.object({
  period: z.object({ start: z.string(), end: z.string() }),
  omissions: z.array(Omission),
})
export type ViewedExport = StoredExport & { sealed?: z.infer<typeof SealedFacts> }
export const sealedFacts = (manifest: Buffer): z.infer<typeof SealedFacts> =>
  SealedFacts.parse(JSON.parse(String(manifest)))

/** `containsErased`: the erasures whose subject the archive contains, by export. */
export function exportView(
  row: ViewedExport,
  actorOf: (id: string) => Actor,
  tenant: Tenant,
  containsErased: ReadonlyMap<string, string[]>,
): ExportJob {
  const { archiveRetentionDays } = settingsOf(tenant)
  const madeAt = row.archiveName !== null && row.archiveGone === null ? row.endedAt : null
  return {
    exportId: row.id,
    status: row.status,
    scope: row.scope,
    purpose: row.purpose,
    progress: row.endedAt === null ? row.progress : null,
    stages: exportStages.flatMap((stage) => row.stages.findLast((one) => one.stage === stage) ?? []),
    startDate: row.startAt.toISOString(),
    endDate: row.endAt.toISOString(),
    covers: row.sealed === undefined ? null : { startDate: row.sealed.period.start, endDate: row.sealed.period.end },
    includeProofs: row.includeProofs,
    includeRawPayloads: row.includeRawPayloads,
    requestedBy: actorOf(row.requestedBy),
    createdAt: row.createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    archiveName: row.archiveName,
    archiveBytes: row.archiveBytes,
    manifestSha256: row.manifestSha256,
    sha256: row.archiveSha256,
    expiresAt:
      madeAt !== null && archiveRetentionDays !== null
        ? new Date(madeAt.getTime() + archiveRetentionDays * dayMs).toISOString()
        : null,
    archiveGone:
      row.archiveGone === null || row.archiveGoneAt === null
        ? null
        : { reason: row.archiveGone, at: row.archiveGoneAt.toISOString() },
    containsErased: containsErased.get(row.id) ?? [],
    omissions: row.sealed?.omissions ?? z.array(Omission).parse(row.omissions),
    error: ExportJob.shape.error.parse(row.error),
    pollTimeoutMs: row.pollTimeoutMs,
    revision: row.revision,
  }
}
