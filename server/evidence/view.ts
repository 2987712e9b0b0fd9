import { z } from 'zod'
import type { Actor } from '#lib/schemas/common.ts'
import { ExportJob, Omission } from '#lib/schemas/evidence.ts'
import type { StoredExport } from './store.ts'

/** How long a caller should poll. An export that fails for longer than this is abandoned. */
export const pollTimeoutMs = 300_000

export function exportView(row: StoredExport, actorOf: (id: string) => Actor): z.infer<typeof ExportJob> {
  return {
    exportId: row.id,
    status: row.status,
    startDate: row.startAt.toISOString(),
    endDate: row.endAt.toISOString(),
    includeProofs: row.includeProofs,
    includeRawPayloads: row.includeRawPayloads,
    requestedBy: actorOf(row.requestedBy),
    createdAt: row.createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    archiveName: row.archiveName,
    archiveBytes: row.archiveBytes,
    manifestSha256: row.manifestSha256,
    omissions: z.array(Omission).parse(row.omissions),
    error: ExportJob.shape.error.parse(row.error),
    pollTimeoutMs,
    revision: row.revision,
  }
}
