import { z } from 'zod'
import { Id } from '../common.ts'

/** What people usually approve for the same action in the same environment. Decimal strings in the request's currency. */
export const UsualRange = z.object({
  currency: z.string(),
  /** Eight of ten amounts lie between `low` and `high`. */
  low: z.string(),
  median: z.string(),
  high: z.string(),
})
export type UsualRange = z.infer<typeof UsualRange>

export const UsualAmountsInput = z.strictObject({ approvalIds: z.array(Id).min(1).max(100) })
/** Only requests with an amount of which at least five of the last 200 decided ones were approved in their currency. */
export const UsualAmounts = z.object({ items: z.array(z.object({ approvalId: Id, usual: UsualRange })) })
