import { z } from 'zod'
import { Actor, Id, Reason, Revision, Time } from './common.ts'

/** `pending` with an error: an attempt failed, and another one follows. `unknown`: the message was transmitted, but no response arrived. The server never sends it again by itself. */
export const Delivery = z.enum(['pending', 'in_flight', 'delivered', 'failed', 'unknown'])
export type Delivery = z.infer<typeof Delivery>

export const MailKind = z.enum(['approval_request', 'input_request', 'sign_in_link', 'password_changed'])
export type MailKind = z.infer<typeof MailKind>

/** A mail that notified a person of a request. `error` is why it failed, or why its outcome is unknown. */
export const ApprovalMail = z.object({
  id: Id,
  to: Actor,
  delivery: Delivery,
  error: z.string().nullable(),
  /** How often it was handed to the mail server; 0 if none is configured. */
  attempts: z.int(),
  createdAt: Time,
  settledAt: Time.nullable(),
  revision: Revision,
})
export type ApprovalMail = z.infer<typeof ApprovalMail>
export const ListApprovalMailsInput = z.strictObject({ approvalId: Id })
/** A request notifies at most 50 people at a time. */
export const ApprovalMailList = z.object({ items: z.array(ApprovalMail) })
export const RetryApprovalMailInput = z.strictObject({ id: Id, expectedRevision: Revision, reason: Reason })
export const RetryApprovalMailOutput = z.object({ id: Id, delivery: Delivery, revision: Revision })
