import { z } from 'zod'
import { Hex32, Id, Json, PageInput, page, Time } from './common.ts'

export const AuditRecord = z.object({
  auditId: Id,
  date: z.iso.date(),
  seq: z.int(),
  type: z.string(),
  actor: z.object({ type: z.string(), id: z.string(), name: z.string() }),
  resource: z.object({ type: z.string(), id: z.string() }),
  reason: z.string().nullable(),
  at: Time,
})
const Word = z.string().min(1).max(200)
const LogTime = z.iso
  .datetime({ offset: true })
  .refine((time) => time >= '1970' && time < '9999', 'Must be a time from 1970 to 9998.')
const AuditFilters = {
  /** Id of the actor. */
  actorId: Word.optional(),
  /** The whole action, such as `approval.approve`. */
  action: Word.optional(),
  /** Id of the resource. */
  resourceId: Word.optional(),
  /** The period is [from, to). A record from shortly before midnight may be the first of the next day’s log, and then belongs to that day. */
  from: LogTime.optional(),
  to: LogTime.optional(),
}
export const ListAuditInput = z.strictObject({ ...PageInput, ...AuditFilters })
/** All records that match, as they are in the list, each with its sentence. */
export const AuditFileInput = z.strictObject({ ...AuditFilters, format: z.enum(['csv', 'ndjson']).default('csv') })
export const AuditList = page(AuditRecord)
export const AuditFacets = z.object({
  /** In alphabetical order. */
  actions: z.array(z.string()),
  /** The most recent actor first. */
  actors: z.array(z.object({ type: z.string(), id: z.string(), name: z.string() })),
})
export const GetAuditInput = z.strictObject({ auditId: Id })
/** The position of the day's last checkpoint in the log of closed days: its text is the leaf. */
export const SealProof = z.object({
  index: z.int(),
  treeSize: z.int(),
  merkleRoot: Hex32,
  inclusionProof: z.array(Hex32),
  /** With the cosignatures of witnesses. */
  checkpoint: z.string(),
})
/** A record with its proof: the input of traces.verify, and the same as files for other tools. */
export const AuditProof = z.object({
  record: Json,
  tenant: z.string(),
  auditId: Id,
  date: z.iso.date(),
  nonce: Hex32,
  digest: z.string(),
  leafIndex: z.int(),
  seal: z.enum(['pending', 'sealed']),
  merkleRoot: Hex32.nullable(),
  treeSize: z.int().nullable(),
  inclusionProof: z.array(Hex32).nullable(),
  checkpoint: z.string().nullable(),
  /** Null until the day is closed. */
  sealLog: SealProof.nullable(),
  /** c2sp.org/tlog-proof@v1: the record in its day, and the day in the seal log. */
  tlogProof: z.string().nullable(),
  sealTlogProof: z.string().nullable(),
})
export type AuditProof = z.infer<typeof AuditProof>
export const Checkpoint = z.object({
  date: z.iso.date(),
  size: z.int(),
  merkleRoot: Hex32.nullable(),
  checkpoint: z.string().nullable(),
  createdAt: Time.nullable(),
  verifierKey: z.string(),
  records: z.int(),
  /** The last closed day before it, to which nothing is added any more. Null before the first midnight. */
  lastClosed: z
    .object({ date: z.iso.date(), size: z.int(), merkleRoot: Hex32, closedAt: Time, inSealLog: z.boolean() })
    .nullable(),
})
export type Checkpoint = z.infer<typeof Checkpoint>
/** Without a date: today, in UTC. */
export const CheckpointInput = z.strictObject({
  date: z.iso
    .date()
    .refine((date) => date >= '1970-01-01', 'Must be 1970-01-01 or later.')
    .optional(),
})
