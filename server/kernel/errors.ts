import { ApiError, type Issue, isRetryable } from '#lib/errors.ts'
import { isOutage } from './db/outage.ts'
import type { Log } from './log.ts'
import { countRefusedCredential, logRefusal } from './refusals.ts'

/** The caller's view of a failure, on both transports. */
export type ErrorAnswer = {
  status: number
  code: string
  message: string
  requestId: string
  retryable: boolean
  issues?: Issue[]
  details?: Record<string, unknown>
}

/** Expected errors keep their code; any other becomes "internal" with a request id, and its cause is logged. */
export function answerFor(error: unknown, requestId: string, log: Log): ErrorAnswer {
  if (error instanceof ApiError) {
    logRefused(error, requestId, log)
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
    log.warn({ err: error, requestId }, 'the database is unavailable')
    return {
      status: 503,
      code: 'unavailable',
      message: 'Temporarily unavailable. Try again in a moment.',
      requestId,
      retryable: true,
    }
  }
  log.error({ err: error, requestId }, 'unexpected error')
  return {
    status: 500,
    code: 'internal',
    message: 'Something went wrong. Try again in a moment.',
    requestId,
    retryable: true,
  }
}

function logRefused({ code, cause }: ApiError, requestId: string, log: Log): void {
  // Anyone can send credentials; every other refusal with a cause is that of a caller with a rate limit.
  if (code === 'unauthorized') {
    countRefusedCredential()
    if (cause instanceof Error) logRefusal(log, { requestId, code, reason: cause.message }, 'a credential was refused')
  } else if (cause !== undefined) log.info({ err: cause, requestId, code }, 'refused')
}
