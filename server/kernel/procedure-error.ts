import { TRPCError } from '@trpc/server'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import { ApiError } from '#lib/errors.ts'
import { isOutage } from './db/outage.ts'
import { errorHeaders } from './error-headers.ts'
import { answerFor } from './errors.ts'
import { runtime } from './runtime.ts'

export const trpcCode = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
} as const

/** The library's form of an error, with the error as its cause. */
export const asTrpcError = (error: unknown): TRPCError => {
  if (error instanceof TRPCError) return error
  if (error instanceof ApiError)
    return new TRPCError({
      code: trpcCode[error.status as keyof typeof trpcCode],
      message: error.message,
      cause: error,
    })
  if (isOutage(error)) return new TRPCError({ code: 'SERVICE_UNAVAILABLE', message: 'unavailable', cause: error })
  return new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: 'internal', cause: error })
}

/** The status and the JSON of an error, as the library writes it. */
export function errorOfProcedure(error: unknown, requestId: string, path: string): { status: number; body: string } {
  const answer = answerFor(error, requestId, runtime().log)
  const code = trpcCode[answer.status as keyof typeof trpcCode] ?? 'INTERNAL_SERVER_ERROR'
  const json = {
    message: answer.message,
    code: TRPC_ERROR_CODES_BY_KEY[code],
    data: {
      code,
      httpStatus: answer.status,
      path,
      requestId,
      reason: answer.code,
      retryable: answer.retryable,
      issues: answer.issues,
      ...answer.details,
    },
  }
  return { status: answer.status, body: JSON.stringify({ error: { json } }) }
}

/** The error response of procedures for failures before the library is involved (missing token, body too large). */
export function procedureError(
  error: unknown,
  requestId: string,
  path: string,
  headers: Record<string, string> = {},
): Response {
  const { status, body } = errorOfProcedure(error, requestId, path)
  return new Response(body, {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-request-id': requestId,
      'x-content-type-options': 'nosniff',
      ...errorHeaders(error, status),
      ...headers,
    },
  })
}
