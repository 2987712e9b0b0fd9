import { ZodError } from 'zod'
import { ApiError, type Issue, isRetryable } from '#lib/errors.ts'
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

const issuesOf = (error: ZodError): Issue[] =>
  error.issues.map((issue) => ({ path: issue.path.map(String).join('.'), message: issue.message }))

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
      ...(error.issues === undefined ? {} : { issues: error.issues }),
      ...(error.details === undefined ? {} : { details: error.details }),
    }
  }
  if (error instanceof ZodError) {
    const issues = issuesOf(error)
    const message = issues
      .map((issue) => (issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`))
      .join('; ')
    return { status: 400, code: 'validation_failed', message, requestId, retryable: false, issues }
  }
  log.error({ err: error, requestId }, 'unexpected error')
  return { status: 500, code: 'internal', message: 'Something went wrong on our side.', requestId, retryable: true }
}
