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

/** `GET|POST /v1/<procedure>`: authentication, tenant and size come before the procedure library sees the call. */
export const procedures: RouteHandler = async (request) => {
  const requestId = newId()
  const path = new URL(request.url).pathname.slice('/v1/'.length)
  let caller: Caller | undefined
  let admission: Admission | undefined
  try {
    const credentials = credentialsOf(request, requestId)
    const presented = await present(credentials)
    const hasBody = request.method === 'POST'
    // Whoever holds a token is read before the transaction is opened, which must not wait for a slow sender; what is wrong
    // with the body is said only to whom the tenant lets in. A key says nothing before it was looked up.
    const reading = hasBody && 'token' in presented ? await captureOutcome(readJsonText(request)) : undefined
    const inInput = tenantNamedIn(request.url, path, reading)
    // A longer batch is refused by the library.
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
    // Selecting a tenant without membership has one body on both transports.
    const denied = error instanceof ApiError && error.code === 'tenant_access_denied'
    const response = denied ? errorResponse(error, requestId) : procedureError(error, requestId, path)
    return caller === undefined ? response : withRateHeaders(response, callsStanding(caller.tenant.id))
  } finally {
    await admission?.end()
  }
}

const tenantFields = new Map(declaredProcedures(appRouter).map(([name, { tenantField }]) => [name, tenantField]))

/**
 * The tenant that the input of a query names, which stands in the address or was posted; of a batch, whose calls share one
 * caller, none. A key's call is read after its admission: it can choose no tenant, and the procedure refuses another one.
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

/** Null for a body that could not be read: what is wrong with it is said after the admission. */
function textOf(posted: () => string): string | null {
  try {
    return posted()
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

/** Undefined for what is no JSON: the procedure says what is wrong with it. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** A header goes before the input: where the two name different tenants, the call is denied. */
const selecting = (credentials: Credentials, inInput: string | undefined): Credentials =>
  credentials.tenantExternalId !== undefined || credentials.tenantId !== undefined
    ? credentials
    : { ...credentials, tenantExternalId: inInput }
