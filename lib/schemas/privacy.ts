import { z } from 'zod'
import { Actor, Day, Id, PageInput, page, Reason, Revision, Time, TraceId } from './common.ts'

/** The subject is searched for as text in all content: an e-mail address, a customer number, a name. */
export const CreateErasureInput = z.strictObject({
  subject: z.string().trim().min(4, 'Enter at least 4 characters: a shorter text would match too much.').max(320),
  /** Kept permanently, so it must not name the subject. */
  reason: Reason,
})
export const Erasure = z.object({
  id: Id,
  /** `completed_with_omissions`: it has ended, and content that contains or may contain the subject remains (held, unreadable). */
  status: z.enum(['pending', 'completed', 'completed_with_omissions']),
  /** Keyed digest: equal for equal subjects, and can't be computed outside this installation. */
  subjectDigest: z.string(),
  reason: z.string(),
  requestedBy: Actor,
  /** Counts of the spans with erased values, and of the erased values. */
  spans: z.int(),
  values: z.int(),
  /** Spans that a legal hold protected. */
  heldSpans: z.int(),
  /** Other records with erased texts: executions, requests, decisions, events, mails, files. */
  records: z.int(),
  /** Records that a legal hold protected. */
  heldRecords: z.int(),
  /** Records with values that can't be decrypted, which could not be searched. Each has an alarm. */
  unreadable: z.int(),
  /** Executions, requests and mails in progress that contain the subject; erased when they have ended. */
  waitsFor: z.array(Id),
  /** The execution or request that each of them is, or belongs to; mails are neither. `of` is its id in `waitsFor`. */
  waitsForObjects: z.array(z.object({ of: Id, type: z.enum(['execution', 'approval']), id: Id })),
  /** Evidence archives that contain the subject, and what became of them; `held`: a legal hold protects the archive. */
  archives: z.array(z.object({ exportId: Id, outcome: z.enum(['deleted', 'marked', 'held']) })),
  createdAt: Time,
  completedAt: Time.nullable(),
})
export const CreateErasureOutput = z.object({ erasureId: Id, status: Erasure.shape.status })
export const ListErasuresInput = z.strictObject(PageInput)
export const ErasureList = page(Erasure)

/** Covers one trace, or all traces whose first span arrived on these days (UTC, both included). */
export const CreateHoldInput = z
  .strictObject({
    traceId: TraceId.optional(),
    from: Day.optional(),
    to: Day.optional(),
    reason: Reason,
  })
  .refine(
    ({ traceId, from, to }) =>
      traceId === undefined ? from !== undefined && to !== undefined : from === undefined && to === undefined,
    'Give either a traceId, or from and to.',
  )
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['to'],
    message: 'The last day must not be before the first one.',
  })
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
