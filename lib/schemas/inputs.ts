import { z } from 'zod'
import { durationSeconds } from '#lib/duration.ts'
import { Actor, Digest, Id, Json, PageInput, page, Reason, Revision, Time } from './common.ts'
import { Erased } from './erased.ts'

/** An input's name as the manifest declares it. */
export const InputName = z.string().min(1).max(200)
const Ttl = z.string().refine((text) => {
  const seconds = durationSeconds(text)
  return seconds !== undefined && seconds > 0 && seconds <= 90 * 86_400
}, 'Must be an ISO 8601 duration such as P7D, at most 90 days.')

export const Correlation = z.strictObject({ executionId: Id, input: InputName })

/**
 * `POST /v1/input-events` in plain JSON. The event's identity is the header Idempotency-Key (or `idempotencyKey`) or
 * `source` and `id`. `ttl`: how long the event is kept before its wait opens.
 */
export const SubmitInput = z
  .strictObject({
    idempotencyKey: z.string().min(1).max(200).optional(),
    source: z.string().min(1).max(1000).optional(),
    id: z.string().min(1).max(200).optional(),
    type: z.string().min(1).max(200).optional(),
    subject: z.string().min(1).max(1000).optional(),
    correlation: Correlation,
    data: Json,
    ttl: Ttl.default('P7D'),
  })
  .refine(
    ({ idempotencyKey, source, id }) => idempotencyKey !== undefined || (source !== undefined && id !== undefined),
    { message: 'Send the header Idempotency-Key, or both source and id.', path: ['idempotencyKey'] },
  )
export type SubmitInput = z.infer<typeof SubmitInput>

export const ReceiptStatus = z.enum(['received', 'accepted', 'unmatched_expired', 'wait_terminal'])
export type ReceiptStatus = z.infer<typeof ReceiptStatus>
export const SubmitOutput = z.object({
  result: z.enum(['accepted', 'duplicate']),
  receiptId: Id,
  status: ReceiptStatus,
})
export type SubmitOutput = z.infer<typeof SubmitOutput>

export const WaitStatus = z.enum(['open', 'matched', 'satisfied', 'canceled', 'expired', 'superseded'])
export type WaitStatus = z.infer<typeof WaitStatus>
export const DeliveryStatus = z.enum(['pending', 'in_flight', 'delivered', 'failed', 'unknown'])
export const ApplicationStatus = z.enum(['not_applied', 'applied', 'rejected'])

/**
 * A text that the sender supplied with an event: masked if it contains a value that the execution's manifest declares sensitive,
 * and always if the execution does not exist.
 */
export const SentText = z.union([
  z.string(),
  z.strictObject({ $masked: z.strictObject({ class: z.string(), length: z.int() }) }),
])

/** The four separate states of one event. None of them shows the event's data. */
export const Receipt = z.object({
  receiptId: Id,
  status: ReceiptStatus,
  correlation: z.object({ executionId: Id, input: z.string() }),
  admission: z.object({
    result: z.literal('accepted'),
    at: Time,
    submittedBy: Actor,
    fingerprint: Digest,
    idempotencyKey: SentText.nullable(),
    source: SentText.nullable(),
    id: SentText.nullable(),
    type: SentText.nullable(),
    subject: SentText.nullable(),
    /** Until when it is kept if its wait does not open. */
    expiresAt: Time,
  }),
  match: z.object({ waitId: Id, stepId: z.string(), waitStatus: WaitStatus, at: Time }).nullable(),
  delivery: z.object({ resolutionId: Id, status: DeliveryStatus, attempts: z.int(), at: Time.nullable() }).nullable(),
  application: z.object({ status: ApplicationStatus, at: Time.nullable() }).nullable(),
  revision: Revision,
  /** Removals of its content; returned for one event, not in lists. */
  erased: z.array(Erased).optional(),
})
export type Receipt = z.infer<typeof Receipt>
export const GetReceiptInput = z.strictObject({ receiptId: Id })
export const ListReceiptsInput = z.strictObject({
  ...PageInput,
  executionId: Id.optional(),
  status: ReceiptStatus.optional(),
})
export const ReceiptList = page(Receipt)

export const InputWait = z.object({
  id: Id,
  executionId: Id,
  stepId: z.string(),
  input: z.string(),
  status: WaitStatus,
  onExpiry: z.enum(['fail', 'continue']),
  openedAt: Time,
  expiresAt: Time,
  /** Since when its deadline is paused, because the agent is suspended. */
  parkedAt: Time.nullable(),
  matchedAt: Time.nullable(),
  closedAt: Time.nullable(),
  receiptId: Id.nullable(),
  revision: Revision,
})
export type InputWait = z.infer<typeof InputWait>
export const ListWaitsInput = z.strictObject({
  ...PageInput,
  executionId: Id.optional(),
  status: WaitStatus.optional(),
})
export const WaitList = page(InputWait)
export const CancelWaitInput = z.strictObject({ id: Id, expectedRevision: Revision, reason: Reason })
export const CancelWaitOutput = z.object({ id: Id, status: WaitStatus, revision: Revision })

export const InputResolution = z.object({
  id: Id,
  waitId: Id,
  executionId: Id,
  input: z.string(),
  channel: z.enum(['event', 'mail']),
  receiptId: Id.nullable(),
  recipient: z.string().nullable(),
  delivery: DeliveryStatus,
  deliveryError: z.string().nullable(),
  application: ApplicationStatus,
  attempts: z.int(),
  createdAt: Time,
  deliveredAt: Time.nullable(),
  appliedAt: Time.nullable(),
  revision: Revision,
})
export type InputResolution = z.infer<typeof InputResolution>
export const ListResolutionsInput = z.strictObject({
  ...PageInput,
  executionId: Id.optional(),
  delivery: DeliveryStatus.optional(),
})
export const ResolutionList = page(InputResolution)
export const RetryResolutionInput = z.strictObject({ id: Id, expectedRevision: Revision, reason: Reason })
export const RetryResolutionOutput = z.object({ id: Id, delivery: DeliveryStatus, revision: Revision })
