import { LRUCache } from 'lru-cache'
import { ApiError } from '#lib/errors.ts'
import type { Lender, Loan } from './lender.ts'

/** The state of a budget, as in the header RateLimit. */
export type Standing = { policy: string; limit: number; windowSeconds: number; remaining: number; resetSeconds: number }

/** 429: the budget is used up until `standing.resetSeconds` have passed. */
export class RateLimited extends ApiError {
  readonly standing: Standing
  constructor(standing: Standing) {
    super('rate_limited', `Too many requests. Try again in ${standing.resetSeconds} s.`)
    this.standing = standing
  }
}

export type Budget = {
  /** Spends `points` of the tenant's budget `name`, or throws RateLimited. */
  take(tenantId: string, name: string, points?: number): Promise<Standing>
  /** The same from what this process has already borrowed; undefined, with nothing spent, if that is not enough. */
  takeAtOnce(tenantId: string, name: string, points?: number): Standing | undefined
  /** The state as far as this process knows. */
  standing(tenantId: string, name: string): Standing
}

/** The points that this process has borrowed and not spent yet. */
type Account = { left: number; loan: Loan; borrowing?: Promise<void> }

/** Number of budgets to remember; the oldest are dropped first, with their borrowed points. */
const maxAccounts = 10_000
/**
 * A block is a twentieth of the limit, or a quarter of the remaining points if that is less, so that few points are
 * idle on other nodes.
 */
const blockShare = 20
const tailShare = 4

/**
 * Budgets of `limit` points in `windowSeconds`, borrowed in blocks: a request spends from memory, and the next block is
 * fetched in the background before the last one is used up. All loans together never exceed the limit, on all nodes.
 */
export function createBudget({
  policy,
  limit,
  windowSeconds,
  lend,
}: {
  policy: string
  limit: number
  windowSeconds: number
  lend: Lender
}): Budget {
  const accounts = new LRUCache<string, Account>({ max: maxAccounts })
  const untouched = (): Loan => ({ granted: 0, remaining: limit, endsAt: Number.NEGATIVE_INFINITY, insured: false })

  function accountOf(tenantId: string, name: string): Account {
    const key = `${tenantId}/${name}`
    const account = accounts.get(key) ?? { left: 0, loan: untouched() }
    if (account.loan.endsAt <= performance.now()) {
      account.left = 0
      account.loan = untouched()
    }
    accounts.set(key, account)
    return account
  }

  const blockOf = ({ loan }: Account): number =>
    Math.max(1, Math.min(Math.floor(limit / blockShare), Math.ceil(loan.remaining / tailShare)))

  const isSpent = ({ loan }: Account): boolean => loan.remaining <= 0 && loan.endsAt > performance.now()

  /** One loan for all waiting callers. */
  function borrow(account: Account, tenantId: string, name: string, points: number): Promise<void> {
    account.borrowing ??= lend(tenantId, name, points)
      .then((loan) => {
        // A loan of the next window replaces the remaining points of the previous one.
        const sameWindow = account.loan.endsAt > performance.now()
        account.left = (sameWindow ? account.left : 0) + loan.granted
        account.loan = loan.granted < points ? { ...loan, remaining: 0 } : loan
      })
      .finally(() => {
        delete account.borrowing
      })
    return account.borrowing
  }

  const standingOf = ({ left, loan }: Account): Standing => ({
    policy,
    limit,
    windowSeconds,
    remaining: left + loan.remaining,
    resetSeconds:
      loan.endsAt === Number.NEGATIVE_INFINITY
        ? windowSeconds
        : Math.max(1, Math.ceil((loan.endsAt - performance.now()) / 1000)),
  })

  function takeAtOnce(tenantId: string, name: string, points = 1): Standing | undefined {
    const account = accountOf(tenantId, name)
    const block = blockOf(account)
    if (account.left < points) return undefined
    account.left -= points
    if (account.left < block / 2 && !isSpent(account))
      // The request that needs the block gets the error.
      borrow(account, tenantId, name, block).catch(() => undefined)
    return standingOf(account)
  }

  return {
    takeAtOnce,
    async take(tenantId, name, points = 1) {
      for (;;) {
        const standing = takeAtOnce(tenantId, name, points)
        if (standing !== undefined) return standing
        const account = accountOf(tenantId, name)
        const block = blockOf(account)
        if (isSpent(account)) throw new RateLimited({ ...standingOf(account), remaining: 0 })
        await borrow(account, tenantId, name, Math.max(block, points - account.left))
      }
    },
    standing: (tenantId, name) => standingOf(accountOf(tenantId, name)),
  }
}
