import { z } from 'zod'
import { type Topic, topicNames } from '#lib/rules/changes.ts'
import { Day } from './common.ts'

export const WatchChangesInput = z.strictObject({
  topics: z.array(z.enum(topicNames)).min(1).max(topicNames.length),
  /** The id of the last event that was received: the stream continues after it. */
  lastEventId: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d\.\d{1,9}\.\d{1,9}$/)
    .refine((text) => Day.safeParse(text.slice(0, 10)).success, 'Not a valid event id.')
    .optional(),
})

/**
 * `id` is the changed resource as the API names it; null: anything of the topic may have changed. `revision` is the
 * position of the tenant's audit log that covers the change. What changed is read through the ordinary queries.
 */
export type ChangeEvent =
  | { type: 'change'; topic: Topic; id: string | null; revision: string }
  | { type: 'heartbeat'; at: string }
