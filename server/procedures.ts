import { ApiError } from '#lib/errors.ts'
import { authenticate, credentialsOf } from '#server/kernel/auth/authenticate.ts'
import { readBody } from '#server/kernel/body.ts'
import { newId } from '#server/kernel/ids.ts'
import { errorResponse, type RouteHandler } from '#server/kernel/rest.ts'
import { answerProcedure, procedureError } from '#server/kernel/trpc.ts'
import { appRouter } from './router.ts'

const maxBodyBytes = 1024 * 1024

/** `GET|POST /v1/<procedure>`: authentication, tenant and size come before the procedure library sees the call. */
export const procedures: RouteHandler = async (request) => {
  const requestId = newId()
  try {
    const caller = await authenticate(credentialsOf(request.headers, requestId))
    const body = request.method === 'POST' ? await readBody(request, maxBodyBytes) : undefined
    const bounded = new Request(request.url, {
      method: request.method,
      headers: request.headers,
      signal: request.signal,
      ...(body === undefined ? {} : { body }),
    })
    const idempotencyKey = request.headers.get('idempotency-key') ?? undefined
    const response = await answerProcedure(bounded, appRouter, { caller, idempotencyKey })
    response.headers.set('x-request-id', requestId)
    response.headers.set('x-content-type-options', 'nosniff')
    return response
  } catch (error) {
    // Selecting a tenant without membership has one body on both transports.
    const denied = error instanceof ApiError && error.code === 'tenant_access_denied'
    return denied
      ? errorResponse(error, requestId)
      : procedureError(error, requestId, new URL(request.url).pathname.slice('/v1/'.length))
  }
}
