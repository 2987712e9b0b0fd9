import { challengeFor } from './auth/challenge.ts'
import { RateLimited } from './rate/budget.ts'
import { rateHeaders, retryHeaders } from './rate/headers.ts'
import { callsPolicy } from './rate/limits.ts'

/** What an error says in headers, on both transports: how to authenticate, when to come again, how much is left. */
export const errorHeaders = (error: unknown, status: number): Record<string, string> => ({
  ...rateHeaders(error instanceof RateLimited ? error.standing : callsPolicy()),
  ...retryHeaders(error, status),
  ...(status === 401 ? { 'www-authenticate': challengeFor(error) } : {}),
  // The rest of the body was not read: the connection can't carry another request.
  ...(status === 413 ? { connection: 'close' } : {}),
})
