import {
  RateLimiterCompatibleAbstract,
  RateLimiterMemory,
  RateLimiterRes,
  RLWrapperTimeouts,
} from 'rate-limiter-flexible'
import { runtime } from '#server/kernel/runtime.ts'
import { borrow } from './store.ts'

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

/** A loan from the database, in the form of the library's result. */
class LentByDatabase extends RateLimiterRes {
  readonly granted: number
  constructor(granted: number, remaining: number, millisecondsLeft: number) {
    super(remaining, millisecondsLeft)
    this.granted = granted
  }
}

/**
 * The library's limiter on the product's own table: its PostgreSQL store supports neither tenants nor row-level
 * security.
 */
class DatabaseLimiter extends RateLimiterCompatibleAbstract {
  readonly #limit: number
  readonly #seconds: number
  constructor(limit: number, seconds: number) {
    super()
    this.#limit = limit
    this.#seconds = seconds
  }

  override async consume(key: string, points: number): Promise<RateLimiterRes> {
    const [tenantId, name] = partsOf(key)
    const { borrowed, millisecondsLeft } = await runtime().database.inTenant(tenantId, (tx) =>
      borrow(tx, { tenantId, name, points, seconds: this.#seconds }),
    )
    const before = Math.min(borrowed - points, this.#limit)
    const granted = Math.min(points, this.#limit - before)
    return new LentByDatabase(granted, this.#limit - before - granted, millisecondsLeft)
  }
}

/**
 * Lends blocks of `limit` points in `seconds`, with one statement per block. If the database fails or hangs, each
 * process lends itself half of the limit from memory until a loan succeeds again, so that limiting neither stops nor
 * blocks everything.
 */
export function createLender({ limit, seconds }: { limit: number; seconds: number }): Lender {
  const limiter = new RLWrapperTimeouts({
    limiter: new DatabaseLimiter(limit, seconds),
    timeoutMs: patience,
    insuranceLimiter: new RateLimiterMemory({ points: Math.ceil(limit / 2), duration: seconds }),
  })
  return async (tenantId, name, points) => {
    // Read before the statement is sent, so that the loan ends slightly earlier here than in the database, never later.
    const askedAt = performance.now()
    const [result, refused] = await limiter.consume(keyOf(tenantId, name), points).then(
      (granted) => [granted, false] as const,
      (reason: unknown) => {
        if (reason instanceof RateLimiterRes) return [reason, true] as const
        throw reason
      },
    )
    const insured = !(result instanceof LentByDatabase)
    if (insured) runtime().log.warn({ tenantId, budget: name }, 'a rate budget is lent from memory')
    return {
      granted: insured ? (refused ? 0 : points) : result.granted,
      remaining: Math.max(0, result.remainingPoints),
      endsAt: askedAt + result.msBeforeNext,
      insured,
    }
  }
}

const keyOf = (tenantId: string, name: string): string => `${tenantId}/${name}`
const partsOf = (key: string): [tenantId: string, name: string] => {
  const slash = key.indexOf('/')
  return [key.slice(0, slash), key.slice(slash + 1)]
}
