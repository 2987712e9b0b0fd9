import { setTimeout } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { runtime } from '#server/kernel/runtime.ts'
import { borrow, type Window } from './store.ts'

/** Points of one budget that this process may spend until `endsAt`. */
export type Loan = {
  /** 0 when nothing is left. */
  granted: number
  /** What is left for everybody after this loan. */
  remaining: number
  /** By the monotonic clock of this process (performance.now()). */
  endsAt: number
  /** The database did not answer, and this process lent to itself. */
  insured: boolean
}

export type Lender = (tenantId: string, name: string, points: number) => Promise<Loan>

/** Milliseconds that a loan may take; the request waits for it. */
const patience = 1000
/** Budgets that a process insures at the same time; the oldest are forgotten first. */
const maxInsured = 10_000

/**
 * Lends blocks of `limit` points in `seconds`, one statement for each block. When the database fails or hangs, each process
 * lends itself half of the limit from memory, until a loan succeeds again: neither everything nor nothing goes through.
 */
export function createLender({ limit, seconds }: { limit: number; seconds: number }): Lender {
  const insure = createInsurance({ limit: Math.ceil(limit / 2), seconds })
  return async (tenantId, name, points) => {
    // Before the question is sent: so the loan ends here a little earlier than in the database, never later.
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

/** The same from memory. A window begins with its first loan. */
function createInsurance({ limit, seconds }: { limit: number; seconds: number }) {
  // Owned by this function: points by budget that are lent in the window that goes on.
  const lent = new LRUCache<string, number>({ max: maxInsured, ttl: seconds * 1000 })
  return (budget: string, points: number): Loan => {
    const before = lent.get(budget) ?? 0
    const loan = share(limit, before, points)
    lent.set(budget, before + loan.granted, { noUpdateTTL: true })
    return { ...loan, endsAt: performance.now() + lent.getRemainingTTL(budget), insured: true }
  }
}

/** As many of `points` as are left of `limit`, of which `lent` may count what was asked for in vain. */
function share(limit: number, lent: number, points: number): { granted: number; remaining: number } {
  const left = Math.max(0, limit - lent)
  const granted = Math.min(points, left)
  return { granted, remaining: left - granted }
}

/** Throws when the database takes longer; a loan that comes later is spent by nobody. */
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
