import { LRUCache } from 'lru-cache'
import type { Standing } from './budget.ts'
import { createLender } from './lender.ts'

/** An attempt that was counted, or the state of the share that has none left. */
export type Taken = { giveBack(): void } | { spent: Standing }

export type Shares = {
  /** Counts one attempt. */
  take(tenantId: string, name: string): Promise<Taken>
  /** The state of a share that is used up as far as this process knows; undefined for any other. */
  spent(tenantId: string, name: string): Standing | undefined
}

type Share = {
  /** Attempts of this process that the database does not know of. */
  own: number
  /** Borrowed and not spent yet. */
  left: number
  /** The remaining attempts for all nodes, once this process has borrowed. */
  remaining: number | undefined
  /** By the monotonic clock of this process. */
  endsAt: number
  borrowing?: Promise<void>
}

/** Number of shares to remember; the oldest are dropped first. What they borrowed stays spent. */
const maxShares = 20_000
/**
 * A fifth of a share is free of statements, so that a caller that invents a name for each attempt causes none. The rest
 * is borrowed in two loans, the first of which reports the free attempts. So all nodes together admit the limit, and up
 * to a fifth more for each further node.
 */
const freePart = 5
const loans = 2

/**
 * Shares of `limit` attempts in `seconds`, for names that strangers choose: at most `loans` statements for each share,
 * and none for most of them. An attempt that is given back is not counted.
 */
export function createShares({ policy, limit, seconds }: { policy: string; limit: number; seconds: number }): Shares {
  const lend = createLender({ limit, seconds })
  const shares = new LRUCache<string, Share>({ max: maxShares })
  const free = Math.max(1, Math.floor(limit / freePart))
  const block = Math.max(1, Math.ceil((limit - free) / loans))

  function shareOf(key: string): Share {
    const share = shares.get(key)
    if (share !== undefined && (share.endsAt > performance.now() || share.borrowing !== undefined)) return share
    const fresh = { own: 0, left: 0, remaining: undefined, endsAt: performance.now() + seconds * 1000 }
    shares.set(key, fresh)
    return fresh
  }

  /** One loan for all waiting callers. */
  function borrow(share: Share, tenantId: string, name: string): Promise<void> {
    const points = share.own + Math.min(block, share.remaining ?? block)
    share.borrowing ??= lend(tenantId, name, points)
      .then(({ granted, remaining, endsAt }) => {
        share.left = granted - share.own
        share.own = 0
        share.remaining = granted < points ? 0 : remaining
        share.endsAt = endsAt
      })
      .finally(() => {
        delete share.borrowing
      })
    return share.borrowing
  }

  const isSpent = ({ left, remaining }: Share): boolean => left <= 0 && remaining !== undefined && remaining <= 0

  const standingOf = (share: Share): Standing => ({
    policy,
    limit,
    windowSeconds: seconds,
    remaining: 0,
    resetSeconds: Math.max(1, Math.ceil((share.endsAt - performance.now()) / 1000)),
  })

  /** Takes back what this process has spent; after the window's end nothing is left to take back. */
  const giveBack = (share: Share) => () => {
    if (share.remaining === undefined) share.own = Math.max(0, share.own - 1)
    else share.left += 1
  }

  return {
    async take(tenantId, name) {
      const key = `${tenantId}/${name}`
      for (;;) {
        const share = shareOf(key)
        if (share.borrowing !== undefined) await share.borrowing
        else if (share.left > 0) {
          share.left -= 1
          return { giveBack: giveBack(share) }
        } else if (isSpent(share)) return { spent: standingOf(share) }
        else if (share.remaining === undefined && share.own < free) {
          share.own += 1
          return { giveBack: giveBack(share) }
        } else await borrow(share, tenantId, name)
      }
    },
    spent(tenantId, name) {
      const share = shares.get(`${tenantId}/${name}`)
      if (share === undefined || !isSpent(share) || share.endsAt <= performance.now()) return undefined
      return standingOf(share)
    },
  }
}
