import { z } from 'zod'
import { Actor, Id, Time } from './common.ts'

/** A vote this soon after the request can hardly follow from reading it. In seconds. */
export const quickSeconds = 10

export const OversightInput = z.strictObject({ days: z.int().min(1).max(365).default(30) })

/** How a group of approvers decided. Times run from the request to the vote, in seconds. */
export const GroupOversight = z.object({
  groupId: Id,
  group: z.string(),
  decided: z.int(),
  approved: z.int(),
  rejected: z.int(),
  expired: z.int(),
  /** Votes within ten seconds of the request. */
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
