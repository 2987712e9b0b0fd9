import { z } from 'zod'
import { Id, Time } from '../common.ts'

/** The time to read that the tenant requires before an approval at this risk. */
export const Reading = z.object({
  seconds: z.int(),
  /** When the caller first opened the request (approvals.open); null: not yet. */
  openedAt: Time.nullable(),
  /** From when the caller can approve it. */
  approvableAt: Time.nullable(),
})
export type Reading = z.infer<typeof Reading>

export const OpenInput = z.strictObject({ approvalId: Id })
/**
 * `reading` is null where the tenant requires no time to read. `auditId` is null if nothing was recorded: also for a request that
 * the caller has opened before, or that is decided.
 */
export const OpenOutput = z.object({ approvalId: Id, reading: Reading.nullable(), auditId: Id.nullable() })
