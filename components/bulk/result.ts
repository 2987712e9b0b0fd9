import { toFailure } from '#lib/trpc.ts'

/** What became of one act of several. `unknown`: no answer arrived, so it may have been recorded. */
export type Result =
  | { is: 'waiting' }
  | { is: 'sending' }
  | { is: 'recorded' }
  | { is: 'refused'; why: string }
  | { is: 'unknown'; why: string }

/** An error without a status from the server says nothing about whether the act was recorded. */
export function resultOf(error: unknown): Result {
  const { httpStatus, message } = toFailure(error)
  return { is: httpStatus !== undefined && httpStatus < 500 ? 'refused' : 'unknown', why: message }
}

/** How several acts ended, as sentences. `counted`: "3 requests"; `past`: "approved". */
export function outcomeText(results: readonly Result[], counted: (count: number) => string, past: string): string {
  const count = (is: Result['is']) => results.filter((result) => result.is === is).length
  const [refused, unknown] = [count('refused'), count('unknown')]
  return [
    `${counted(count('recorded'))} ${past}.`,
    refused > 0 && `${counted(refused)} refused.`,
    unknown > 0 && `The outcome of ${counted(unknown)} is unknown: open each to see whether it was recorded.`,
  ]
    .filter((text) => text !== false)
    .join(' ')
}
