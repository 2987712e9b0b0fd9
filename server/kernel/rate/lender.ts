import { setTimeout } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { runtime } from '#server/kernel/runtime.ts'
import { borrow, type Window } from './store.ts'

/** Points of one budget that this process may spend until `endsAt`. */
export type Loan = {
  /** 0 if the budget is used up. */
  granted: number
  /** The remaining points for all nodes after this loan. */
  remaining: number
  /** By the monotonic clock of this process (performance.now()). */
  endsAt: number
  /** The database did not respond, and this process lent to itself. */
  insured: boolean
}

export type Lender = (tenantId: string, name: string, points: number) => Promise<Loan>

/** Milliseconds that a loan may take; the request waits for it. */
const patience = 1000
/** Number of budgets that a process insures at the same time; the oldest are dropped first. */
const maxInsured = 10_000

/**
 * Lends blocks of `limit` points in `seconds`, with one statement per block. If the database fails or hangs, each
 * process lends itself half of the limit from memory until a loan succeeds again, so that limiting neither stops nor
 * blocks everything.
 */
export function createLender({ limit, seconds }: { limit: number; seconds: number }): Lender {
  const insure = createInsurance({ limit: Math.ceil(limit / 2), seconds })
  return async (tenantId, name, points) => {
    // Read before the statement is sent, so that the loan ends slightly earlier here than in the database, never later.
    const askedAt = performance.now()
    try {
      const { borrowed, millisecondsLeft } = await inTime(
        runtime().database.inTenant(tenantId, (tx) => borrow(tx, { tenantId, name, points, seconds })),
      )
      return { ...share(limit, borrowed - points, points), endsAt: askedAt + millisecondsLeft, insured: false }
    } catch (error) {
      runtime().log.warn({ err: error, tenantId, budget: name }, 'a rate budget is lent from memory')
      return insure(`${tenantId}/${name}`, points)
    }
  }
}

/** Lends from memory. A window starts with its first loan. */
function createInsurance({ limit, seconds }: { limit: number; seconds: number }) {
  // Owned by this function: the points lent in the current window, by budget.
  const lent = new LRUCache<string, number>({ max: maxInsured, ttl: seconds * 1000 })
  return (budget: string, points: number): Loan => {
    const before = lent.get(budget) ?? 0
    const loan = share(limit, before, points)
    lent.set(budget, before + loan.granted, { noUpdateTTL: true })
    return { ...loan, endsAt: performance.now() + lent.getRemainingTTL(budget), insured: true }
  }
}

/** As many of `points` as remain of `limit`; `lent` may include points that were requested in vain. */
function share(limit: number, lent: number, points: number): { granted: number; remaining: number } {
  const left = Math.max(0, limit - lent)
  const granted = Math.min(points, left)
  return { granted, remaining: left - granted }
}

/** Throws if the database takes longer; a loan that arrives later is not spent. */
async function inTime(loan: Promise<Window>): Promise<Window> {
  const settled = new AbortController()
  const late = async (): Promise<never> => {
    await setTimeout(patience, undefined, { signal: settled.signal })
    throw new Error(`The database did not lend within ${patience} ms.`)
  }
  try {
    return await Promise.race([loan, late()])
  } finally {
    settled.abort()
  }
}
