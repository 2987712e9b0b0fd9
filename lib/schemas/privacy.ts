import { z } from 'zod'
import { Actor, Id, PageInput, page, Reason, Revision, Time, TraceId } from './common.ts'

/** The subject is searched for as text in all content: an e-mail address, a customer number, a name. */
export const CreateErasureInput = z.strictObject({
  subject: z.string().trim().min(4, 'At least 4 characters: less is found everywhere.').max(320),
  /** Kept for ever: it must not name the subject. */
  reason: Reason,
})
export const Erasure = z.object({
  id: Id,
  status: z.enum(['pending', 'completed']),
  /** Keyed digest: the same subject has the same one, and nobody can compute it elsewhere. */
  subjectDigest: z.string(),
  reason: z.string(),
  requestedBy: Actor,
  /** Spans that lost values, and how many. */
  spans: z.int(),
  values: z.int(),
  /** Spans that a legal hold kept as they are. */
  heldSpans: z.int(),
  /** Other records that lost texts: of executions, requests, decisions, events, mails, files. */
  records: z.int(),
  /** Those that a legal hold kept as they are. */
  heldRecords: z.int(),
  /** Executions, requests and mails that hold the subject and are under way: erased when they have ended. */
  waitsFor: z.array(Id),
  createdAt: Time,
  completedAt: Time.nullable(),
})
export const CreateErasureOutput = z.object({ erasureId: Id, status: Erasure.shape.status })
export const ListErasuresInput = z.strictObject(PageInput)
export const ErasureList = page(Erasure)

/** Of one trace, or of all that was first heard of on these days (UTC, both included). */
export const CreateHoldInput = z
  .strictObject({
    traceId: TraceId.optional(),
    from: z.iso.date().optional(),
    to: z.iso.date().optional(),
    reason: Reason,
  })
  .refine(
    ({ traceId, from, to }) =>
      traceId === undefined
        ? from !== undefined && to !== undefined && from <= to
        : from === undefined && to === undefined,
    'Give either a traceId, or from and to.',
  )
export const Hold = z.object({
  id: Id,
  traceId: TraceId.nullable(),
  from: z.iso.date().nullable(),
  to: z.iso.date().nullable(),
  reason: z.string(),
  createdBy: Actor,
  createdAt: Time,
  releasedAt: Time.nullable(),
  releaseReason: z.string().nullable(),
  revision: Revision,
})
export const CreateHoldOutput = z.object({ holdId: Id, revision: Revision })
export const ReleaseHoldInput = z.strictObject({ id: Id, expectedRevision: Revision, reason: Reason })
export const ReleaseHoldOutput = z.object({ id: Id, revision: Revision })
export const ListHoldsInput = z.strictObject(PageInput)
export const HoldList = page(Hold)
