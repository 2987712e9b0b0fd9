import { z } from 'zod'
import { Actor, Id, Time } from './common.ts'

/** A vote this soon after its group was asked can hardly follow from reading it. In seconds. */
export const quickSeconds = 10

export const OversightInput = z.strictObject({ days: z.int().min(1).max(365).default(30) })

/**
 * How a group of approvers decided. Times run to the vote from the moment at which the group was asked: the request, the
 * beginning of its stage, or the escalation. In seconds.
 */
export const GroupOversight = z.object({
  groupId: Id,
  group: z.string(),
  decided: z.int(),
  approved: z.int(),
  rejected: z.int(),
  expired: z.int(),
  /** Votes within ten seconds of that moment. */
  quick: z.int(),
  medianSeconds: z.number().nullable(),
  /** Of requests with less, and with more, to read than the group's median request. */
  medianSecondsShort: z.number().nullable(),
  medianSecondsLong: z.number().nullable(),
  voters: z.int(),
  /** The member with the most votes. */
  mostVotes: z.object({ by: Actor, votes: z.int() }).nullable(),
})
export const Oversight = z.object({
  since: Time,
  /** Seconds that a request of high or critical risk must have been open before its reader can approve it; null: none. */
  readingSeconds: z.int().nullable(),
  groups: z.array(GroupOversight),
})
export type Oversight = z.infer<typeof Oversight>
