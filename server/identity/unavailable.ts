import { isOutage } from '#server/kernel/db/outage.ts'
import { OverloadError } from '#server/kernel/rate/turns.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** A 503: its JSON body, and when to try again. */
export type Unavailable = { body: { error: string; error_description: string }; headers: Record<string, string> }

/** The response to a failure that ends by itself: an outage of the database, which is logged, or too many strangers. */
export function unavailableFor(error: unknown): Unavailable | undefined {
  const overloaded = error instanceof OverloadError
  if (!overloaded && !isOutage(error)) return undefined
  if (!overloaded) runtime().log.warn({ err: error }, 'the database is unavailable')
  return {
    body: {
      error: 'temporarily_unavailable',
      error_description: overloaded ? error.message : 'Temporarily unavailable. Try again in a moment.',
    },
    headers: { 'retry-after': overloaded ? '2' : '1' },
  }
}
