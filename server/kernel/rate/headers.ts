import { RateLimited, type Standing } from './budget.ts'

/** RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-10). */
export const rateHeaders = (standing: Standing): Record<string, string> => ({
  'ratelimit-policy': `"${standing.policy}";q=${standing.limit};w=${standing.windowSeconds}`,
  ratelimit: `"${standing.policy}";r=${standing.remaining};t=${standing.resetSeconds}`,
})

/** When to retry a refused request, in seconds: for 429 and 503. */
export const retryHeaders = (error: unknown, status: number): Record<string, string> =>
  error instanceof RateLimited
    ? { 'retry-after': String(error.standing.resetSeconds) }
    : status === 503 || status === 429
      ? { 'retry-after': '1' }
      : {}

/** Adds the headers to an existing response. */
export function withRateHeaders(response: Response, standing: Standing): Response {
  for (const [name, value] of Object.entries(rateHeaders(standing))) response.headers.set(name, value)
  return response
}
