import { ApiError } from '#lib/errors.ts'
import { wireTransformer } from '#lib/wire.ts'
import { accessDenied } from '#server/kernel/auth/access-denied.ts'
import { type Admission, admit } from '#server/kernel/auth/admit.ts'
import { type Credentials, credentialsOf, present, withJustification } from '#server/kernel/auth/authenticate.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { readJsonText } from '#server/kernel/body.ts'
import { captureOutcome } from '#server/kernel/capture-outcome.ts'
import { newId } from '#server/kernel/ids.ts'
import { retryHeaders, withRateHeaders } from '#server/kernel/rate/headers.ts'
import { callsStanding } from '#server/kernel/rate/limits.ts'
import { errorResponse, type RouteHandler } from '#server/kernel/rest.ts'
import { answerProcedure, declaredProcedures, maxBatchSize, procedureError } from '#server/kernel/trpc.ts'
import { appRouter } from './router.ts'

/**
 * `GET|POST /v1/<procedure>`: authentication, tenant and size are checked before the procedure library sees the call.
 */
export const procedures: RouteHandler = async (request) => {
  const requestId = newId()
  const path = new URL(request.url).pathname.slice('/v1/'.length)
  let caller: Caller | undefined
  let admission: Admission | undefined
  try {
    const credentials = credentialsOf(request, requestId)
    const presented = await present(credentials)
    const hasBody = request.method === 'POST'
    // The body of a token holder is read before the transaction is opened, because a transaction must not wait for a
    // slow sender. Problems with the body are reported only after the tenant has admitted the caller. With an API key,
    // the body is read only after the key has been looked up.
    const reading = hasBody && 'token' in presented ? await captureOutcome(readJsonText(request)) : undefined
    const inInput = tenantNamedIn(request.url, path, reading)
    // The library refuses a longer batch.
    admission = await admit(presented, selecting(credentials, inInput), Math.min(path.split(',').length, maxBatchSize))
    caller = withJustification(admission.caller, request)
    if (inInput !== undefined && inInput !== caller.tenant.externalId) throw accessDenied()
    if (hasBody && reading === undefined) await admission.end()
    const body = hasBody ? (reading === undefined ? await readJsonText(request) : reading()) : undefined
    const bounded = new Request(request.url, {
      method: request.method,
      headers: request.headers,
      signal: request.signal,
      ...(body === undefined ? {} : { body }),
    })
    const idempotencyKey = request.headers.get('idempotency-key') ?? undefined
    const response = await answerProcedure(bounded, appRouter, { caller, idempotencyKey, admission })
    response.headers.set('x-request-id', requestId)
    response.headers.set('x-content-type-options', 'nosniff')
    for (const [name, value] of Object.entries(retryHeaders(undefined, response.status)))
      response.headers.set(name, value)
    return withRateHeaders(response, callsStanding(caller.tenant.id))
  } catch (error) {
    // Selecting a tenant without a membership has the same response body on both transports.
    const denied = error instanceof ApiError && error.code === 'tenant_access_denied'
    const response = denied ? errorResponse(error, requestId) : procedureError(error, requestId, path)
    return caller === undefined ? response : withRateHeaders(response, callsStanding(caller.tenant.id))
  } finally {
    await admission?.end()
  }
}

const tenantFields = new Map(declaredProcedures(appRouter).map(([name, { tenantField }]) => [name, tenantField]))

/**
 * The tenant that the input of a query names, in the address or in a posted body. A batch names none, because all its
 * calls share one caller. The input of a call with an API key is read after its admission: it can't choose a tenant,
 * and the procedure refuses another one.
 */
function tenantNamedIn(url: string, procedure: string, posted: (() => string) | undefined): string | undefined {
  const field = tenantFields.get(procedure)
  if (field === undefined) return undefined
  const text = posted === undefined ? new URL(url).searchParams.get('input') : textOf(posted)
  if (text === null) return undefined
  const input = wireTransformer.deserialize(parseJson(text))
  const named: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, field) : undefined
  return typeof named === 'string' ? named : undefined
}

/** Null for an unreadable body; the problem is reported after the admission. */
function textOf(posted: () => string): string | null {
  try {
    return posted()
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

/** Undefined for invalid JSON; the procedure reports the problem. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** A header takes precedence over the input: if the two name different tenants, the call is denied. */
const selecting = (credentials: Credentials, inInput: string | undefined): Credentials =>
  credentials.tenantExternalId !== undefined || credentials.tenantId !== undefined
    ? credentials
    : { ...credentials, tenantExternalId: inInput }
