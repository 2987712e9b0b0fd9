import { z } from 'zod'
import { limits } from '#lib/limits.ts'
import { isVisible } from '#lib/text/visible-text.ts'
import { Actor, Id, Justification, PageInput, page, Reason, Revision, Time } from './common.ts'

export const ExportStatus = z.enum([
  'queued',
  'preflight',
  'collecting',
  'sealing',
  'verifying',
  'completed',
  'completed_with_omissions',
  'failed',
  'canceled',
])
export type ExportStatus = z.infer<typeof ExportStatus>
export const terminalExportStatuses: readonly ExportStatus[] = [
  'completed',
  'completed_with_omissions',
  'failed',
  'canceled',
]

export const PeriodTime = z.iso
  .datetime({ offset: true })
  .refine(
    (time) => Date.parse(time) >= 0 && Date.parse(time) < Date.parse('9999-01-01T00:00:00Z'),
    'Must be a time from 1970 to 9998.',
  )
/** What an export is limited to; without one it contains everything in its period. */
export const ExportScope = z.union([
  z.strictObject({ agentId: Id }),
  z.strictObject({ executionId: Id }),
  z.strictObject({ approvalId: Id }),
])
export type ExportScope = z.infer<typeof ExportScope>
const Purpose = z.string().trim().min(1).max(limits.purpose.max).refine(isVisible, 'Must contain visible characters.')

/** The period is [startDate, endDate). */
export const CreateExportInput = z
  .strictObject({
    startDate: PeriodTime,
    endDate: PeriodTime,
    scope: ExportScope.optional(),
    /** Whom or what the archive is for. It is written into the archive. */
    purpose: Purpose.optional(),
    includeProofs: z.boolean(),
    includeRawPayloads: z.boolean().default(false),
    /** Required with raw payloads. */
    justification: Justification.optional(),
  })
  .refine((input) => Date.parse(input.startDate) < Date.parse(input.endDate), 'The period must begin before it ends.')
export const CreateExportOutput = z.object({ exportId: Id, status: ExportStatus, pollTimeoutMs: z.int() })

/** [startDate, endDate): the part of a period for which there is a log. */
const CoveredPeriod = z.object({ startDate: Time, endDate: Time })

/** What an export of this period and scope would contain, counted now. */
export const EstimateExportInput = z
  .strictObject({
    startDate: PeriodTime,
    endDate: PeriodTime,
    scope: ExportScope.optional(),
    includeRawPayloads: z.boolean().default(false),
  })
  .refine((input) => Date.parse(input.startDate) < Date.parse(input.endDate), 'The period must begin before it ends.')
export const ExportEstimate = z.object({
  /** The part of the period that an archive would cover if it were made now; null if it is wholly outside. */
  covers: CoveredPeriod.nullable(),
  executions: z.int(),
  approvals: z.int(),
  decisions: z.int(),
  spans: z.int(),
  /** Records of the audit log. */
  records: z.int(),
  /** Roughly, as the size of the ZIP. */
  bytes: z.int(),
  seconds: z.int(),
  /** Everything was counted. Otherwise counting would take too long, and large numbers are the database’s estimates. */
  exact: z.boolean(),
})
export type ExportEstimate = z.infer<typeof ExportEstimate>

export const Omission = z.object({
  resource: z.string(),
  id: z.string().optional(),
  reason: z.enum([
    'retention_expired',
    'erased',
    'masked',
    'permission_denied',
    'integrity_failed',
    'source_unavailable',
    'too_large',
  ]),
})

export const exportStages = ['preflight', 'collecting', 'sealing', 'verifying', 'storing'] as const
export type ExportStage = (typeof exportStages)[number]
/** `total` is null while it is not known. */
export const ExportProgress = z.object({
  stage: z.enum(exportStages),
  unit: z.enum(['days', 'records', 'files', 'bytes']),
  done: z.int(),
  total: z.int().nullable(),
})
export type ExportProgress = z.infer<typeof ExportProgress>

export const ExportJob = z.object({
  exportId: Id,
  status: ExportStatus,
  scope: ExportScope.nullable(),
  purpose: z.string().nullable(),
  /** Null before a worker begins and after the end. */
  progress: ExportProgress.nullable(),
  /** When each stage began that has been reached. */
  stages: z.array(z.object({ stage: z.enum(exportStages), at: Time })),
  startDate: Time,
  endDate: Time,
  /** The part of the period that the archive covers. Null until it is published, and in lists. */
  covers: CoveredPeriod.nullable(),
  includeProofs: z.boolean(),
  includeRawPayloads: z.boolean(),
  requestedBy: Actor,
  createdAt: Time,
  endedAt: Time.nullable(),
  archiveName: z.string().nullable(),
  archiveBytes: z.int().nullable(),
  manifestSha256: z.string().nullable(),
  /** SHA-256 of the ZIP, 64 hex digits. Null for archives from before it was recorded. */
  sha256: z.string().nullable(),
  /** When the tenant's retention deletes the archive; null: never. A legal hold delays it. */
  expiresAt: Time.nullable(),
  /** Why the archive can no longer be downloaded. The job, its manifest and its digests are kept. */
  archiveGone: z.object({ reason: z.enum(['retention_expired', 'erased']), at: Time }).nullable(),
  /** Erasures whose subject the archive contains although it was not deleted. */
  containsErased: z.array(Id),
  /** The first 100 of them; manifest.json counts all, and the archive lists them in data/omissions.ndjson. */
  omissions: z.array(Omission),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  pollTimeoutMs: z.int(),
  revision: Revision,
})
export type ExportJob = z.infer<typeof ExportJob>

/** What the console reads of an archive's manifest.json. */
export type ExportManifest = {
  type: string
  /** Missing in version 1, as is the archive before it, which is null for the first one. */
  formatVersion?: number
  previousExportId?: string | null
  files: { path: string; sha256: string; bytes: number; mediaType: string; records?: number }[]
  days: { date: string; size: number; root: string; open: boolean }[]
  /** Records by kind. */
  counts: Record<string, number>
  signer: { keyId: string; fingerprint: string }
  sealedAt: string
  /** Of all omissions; the job has the first ones. Missing in version 1. */
  omissionCount?: number
}
export const ListExportsInput = z.strictObject(PageInput)
export const ExportList = page(ExportJob)
export const ExportById = z.strictObject({ exportId: Id })
export const CancelExportInput = z.strictObject({ exportId: Id, expectedRevision: Revision, reason: Reason })
