import { z } from 'zod'
import { Time } from '../common.ts'

/** One of the groups that are asked one after the other; a request with one group is a list without any. */
export const ApprovalStage = z.object({
  group: z.string(),
  /** As in the manifest. */
  groupName: z.string(),
  quorum: z.int(),
  status: z.enum(['approved', 'current', 'next']),
})

export const ApprovalClock = z.object({
  /** Since when it is stopped, and why; the deadline moves by that time. Null while it runs. */
  stopped: z.object({ since: Time, by: z.enum(['question', 'suspension']) }).nullable(),
  /** When the request goes to the escalation group by itself. Null if it does not, or has. */
  escalatesAt: Time.nullable(),
  /** When reviewers who have not decided are reminded next. */
  remindsAt: Time.nullable(),
})
