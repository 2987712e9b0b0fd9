import { ApiError, type Issue, isRetryable } from '#lib/errors.ts'
import { isOutage } from './db/outage.ts'
import type { Log } from './log.ts'

/** What a caller is told of a failure, on both transports. */
export type ErrorAnswer = {
  status: number
  code: string
  message: string
  requestId: string
  retryable: boolean
  issues?: Issue[]
  details?: Record<string, unknown>
}

/** Expected errors keep their code; everything else becomes "internal" with a request id, and its cause goes to the log. */
export function answerFor(error: unknown, requestId: string, log: Log): ErrorAnswer {
  if (error instanceof ApiError) {
    if (error.cause !== undefined) log.info({ err: error.cause, requestId, code: error.code }, 'refused')
    return {
      status: error.status,
      code: error.code,
      message: error.message,
      requestId,
      retryable: isRetryable(error.code),
      issues: error.issues,
      details: error.details,
    }
  }
  if (isOutage(error)) {
    log.warn({ err: error, requestId }, 'the database is not there')
    return { status: 503, code: 'unavailable', message: 'Try again in a moment.', requestId, retryable: true }
  }
  log.error({ err: error, requestId }, 'unexpected error')
  return { status: 500, code: 'internal', message: 'Something went wrong on our side.', requestId, retryable: true }
}
