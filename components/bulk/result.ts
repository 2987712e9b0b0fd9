import { failureText } from '#components/session/failure-text.ts'
import * as t from '#components/texts/bulk/en.ts'
import { toFailure } from '#lib/trpc.ts'

/** What became of one act of several. `unknown`: no answer arrived, so it may have been recorded. */
export type Result =
  | { is: 'waiting' }
  | { is: 'sending' }
  | { is: 'recorded' }
  | { is: 'refused'; why: string }
  | { is: 'unknown'; why: string }

/** The act was not sent, for a reason that the page found just before. */
export class NotSent extends Error {}

/**
 * An error without a status from the server says nothing about whether the act was recorded. A row that was changed outside the server is
 * found before anything is written.
 */
export function resultOf(error: unknown): Result {
  if (error instanceof NotSent) return { is: 'refused', why: error.message }
  const failure = toFailure(error)
  const { code, httpStatus } = failure
  const refused = code === 'integrity_failed' || (httpStatus !== undefined && httpStatus < 500)
  return { is: refused ? 'refused' : 'unknown', why: failureText(failure) }
}

/** How several acts ended, as sentences. `recorded`: "3 requests approved." */
export function outcomeText(
  list: 'approvals' | 'executions',
  results: readonly Result[],
  recorded: (count: number) => string,
): string {
  const count = (is: Result['is']) => results.filter((result) => result.is === is).length
  const [refused, unknown] = [count('refused'), count('unknown')]
  return [
    recorded(count('recorded')),
    refused > 0 && t.someRefused({ list, count: refused }),
    unknown > 0 && t.someUnknown({ list, count: unknown }),
  ]
    .filter((text) => text !== false)
    .join(' ')
}
