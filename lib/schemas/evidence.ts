import { z } from 'zod'
import { Actor, Id, Justification, PageInput, page, Reason, Revision, Time } from './common.ts'

export const ExportStatus = z.enum([
  'queued',
  'preflight',
  'collecting',
  'sealing',
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

const PeriodTime = z.iso
  .datetime({ offset: true })
  .refine(
    (time) => Date.parse(time) >= 0 && Date.parse(time) < Date.parse('9999-01-01T00:00:00Z'),
    'Must be a time from 1970 to 9998.',
  )
/** The period is [startDate, endDate). */
export const CreateExportInput = z
  .strictObject({
    startDate: PeriodTime,
    endDate: PeriodTime,
    includeProofs: z.boolean(),
    includeRawPayloads: z.boolean().default(false),
    /** Required with raw payloads. */
    justification: Justification.optional(),
  })
  .refine((input) => Date.parse(input.startDate) < Date.parse(input.endDate), 'startDate must be before endDate.')
export const CreateExportOutput = z.object({ exportId: Id, status: ExportStatus, pollTimeoutMs: z.int() })

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
export const ExportJob = z.object({
  exportId: Id,
  status: ExportStatus,
  startDate: Time,
  endDate: Time,
  includeProofs: z.boolean(),
  includeRawPayloads: z.boolean(),
  requestedBy: Actor,
  createdAt: Time,
  endedAt: Time.nullable(),
  archiveName: z.string().nullable(),
  archiveBytes: z.int().nullable(),
  manifestSha256: z.string().nullable(),
  omissions: z.array(Omission),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  pollTimeoutMs: z.int(),
  revision: Revision,
})
export type ExportJob = z.infer<typeof ExportJob>

/** What the console reads of an archive's manifest.json. */
export type ExportManifest = {
  files: { path: string; sha256: string; bytes: number; mediaType: string; records?: number }[]
  days: { date: string; size: number; root: string; open: boolean }[]
  signer: { keyId: string; fingerprint: string }
  sealedAt: string
}
export const ListExportsInput = z.strictObject(PageInput)
export const ExportList = page(ExportJob)
export const ExportById = z.strictObject({ exportId: Id })
export const CancelExportInput = z.strictObject({ exportId: Id, expectedRevision: Revision, reason: Reason })
