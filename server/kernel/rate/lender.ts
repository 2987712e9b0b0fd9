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

/** A loan by the database, as the library's result. */
class LentByDatabase extends RateLimiterRes {
  readonly granted: number
  constructor(granted: number, remaining: number, millisecondsLeft: number) {
    super(remaining, millisecondsLeft)
    this.granted = granted
  }
}

/** The library's limiter on our own table: its own PostgreSQL store knows neither tenants nor row-level security. */
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
 * Lends blocks of `limit` points in `seconds`, one statement for each block. When the database fails or hangs, each process
 * lends itself half of the limit from memory, until a loan succeeds again: neither everything nor nothing goes through.
 */
export function createLender({ limit, seconds }: { limit: number; seconds: number }): Lender {
  const limiter = new RLWrapperTimeouts({
    limiter: new DatabaseLimiter(limit, seconds),
    timeoutMs: patience,
    insuranceLimiter: new RateLimiterMemory({ points: Math.ceil(limit / 2), duration: seconds }),
  })
  return async (tenantId, name, points) => {
    // Before the question is sent: so the loan ends here a little earlier than in the database, never later.
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
