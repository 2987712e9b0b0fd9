import { setTimeout } from 'node:timers/promises'
import { Failed } from './failure.ts'

/** Failures in a row after which work is given up. */
export const patience = 5
const firstPauseMs = 250
const longestPauseMs = 5_000
/** A server that asks for more is not waited for. */
const longestAskedMs = 60_000

/** True for a failure that may be over later: no response, 429, or a status from 500 on. */
export const isTransient = (error: unknown): error is Failed =>
  error instanceof Failed &&
  (error.details.code === 'unreachable' ||
    error.details.httpStatus === 429 ||
    (typeof error.details.httpStatus === 'number' && error.details.httpStatus >= 500))

/** Waits before the next attempt, after `failures` in a row: as long as the server asked, else longer each time. */
export async function pauseAfter(error: unknown, failures: number): Promise<void> {
  const asked = error instanceof Failed ? error.details.retryAfterSeconds : undefined
  const usual = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.max(0, failures - 1))
  await setTimeout(typeof asked === 'number' ? Math.max(usual, asked * 1000) : usual)
}

/** True if another attempt is worth it. */
export const mayRetry = (error: unknown, failures: number, most = patience): boolean =>
  isTransient(error) && failures < most && Number(error.details.retryAfterSeconds ?? 0) * 1000 <= longestAskedMs

/** Repeats work without an effect, such as a query, while its failures are transient. Throws the last failure. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++)
    try {
      return await work()
    } catch (error) {
      if (!mayRetry(error, failures)) throw error
      await pauseAfter(error, failures)
    }
}

/** Seconds of a Retry-After header (RFC 9110): a number, or a date. */
export function retryAfterSeconds(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,6}$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}
