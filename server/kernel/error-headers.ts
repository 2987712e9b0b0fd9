import { challengeFor } from './auth/challenge.ts'
import { RateLimited } from './rate/budget.ts'
import { rateHeaders, retryHeaders } from './rate/headers.ts'
import { unspentCalls } from './rate/limits.ts'
import { runtime } from './runtime.ts'

/**
 * The headers of an error response, on both transports: how to authenticate, when to try again, the remaining budget.
 */
export const errorHeaders = (error: unknown, status: number): Record<string, string> => ({
  ...rateHeaders(error instanceof RateLimited ? error.standing : unspentCalls(runtime().config)),
  ...retryHeaders(error, status),
  ...(status === 401 ? { 'www-authenticate': challengeFor(error) } : {}),
  // The rest of the body was not read, so the connection can't carry another request.
  ...(status === 413 ? { connection: 'close' } : {}),
})
