import { z } from 'zod'
import { Actor, Digest, Id, Json, JsonObject, Reason, Revision, Time } from '../common.ts'

export const RequestChangesInput = z.strictObject({
  approvalId: Id,
  reason: Reason,
  expectedRevision: Revision.optional(),
})
export const RequestChangesOutput = z.object({
  approvalId: Id,
  status: z.literal('canceled'),
  auditId: Id,
  revision: Revision,
})

/** `changes`: a JSON Merge Patch (RFC 7396) of the arguments, so that masked ones need not be repeated. */
export const ReviseInput = z.strictObject({ approvalId: Id, changes: JsonObject })
export const ReviseOutput = z.object({
  /** The new request. */
  approvalId: Id,
  supersedes: Id,
  payloadDigest: Digest,
  expiresAt: Time,
})

/** The changes that a reviewer requested, which ended the request. */
export const Changes = z.object({
  by: Actor,
  reason: z.string(),
  at: Time,
  auditId: Id,
  /** The request with other arguments that followed. */
  nextId: Id.nullable(),
  /** Whether the caller may propose other arguments, with `approvals.revise` or, for an agent elsewhere, `approvals.request`. */
  mayRevise: z.boolean(),
  /** Until when they can be proposed. */
  until: Time,
})

const side = z.object({ value: Json.optional(), masked: z.object({ class: z.string(), length: z.int() }).optional() })

/** The request before this one, and the arguments that differ; a side is null if it lacks the argument. */
export const Superseded = z.object({
  approvalId: Id,
  by: Actor,
  reason: z.string(),
  at: Time,
  changed: z.array(z.object({ path: z.string(), before: side.nullable(), after: side.nullable() })),
})
