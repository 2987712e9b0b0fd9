import { ApiError } from '#lib/errors.ts'
import { type Admission, admit } from './auth/admit.ts'
import { credentialsOf, present } from './auth/authenticate.ts'
import type { Caller } from './auth/principal.ts'
import { readJson } from './body.ts'
import { captureOutcome } from './capture-outcome.ts'
import { errorHeaders } from './error-headers.ts'
import { answerFor } from './errors.ts'
import { newId } from './ids.ts'
import { authorize, type Declared, execute, type Mutation, type Query } from './operation.ts'
import { withRateHeaders } from './rate/headers.ts'
import { callsStanding } from './rate/limits.ts'
import { runtime } from './runtime.ts'

/** What Next and our own server pass as second argument of a route handler. */
export type RouteContext = { params: Promise<Record<string, string | string[]>> }
export type RouteHandler = (request: Request, context: RouteContext) => Promise<Response>

const baseHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** The error body of REST routes. Selecting a tenant without membership answers exactly one member. */
export function errorResponse(error: unknown, requestId: string): Response {
  const { status, code, message, retryable, issues, details } = answerFor(error, requestId, runtime().log)
  const body =
    code === 'tenant_access_denied'
      ? { error: message }
      : { error: message, code, requestId, retryable, ...(issues === undefined ? {} : { issues }), ...details }
  return Response.json(body, {
    status,
    headers: {
      ...baseHeaders,
      'x-request-id': requestId,
      ...errorHeaders(error, status),
    },
  })
}

/** What a route does once it is known who calls. `read` is what `reading` of the route has read before, or its error. */
type Work = (
  caller: Caller,
  request: Request,
  context: RouteContext,
  admission: Pick<Admission, 'claim' | 'end'>,
  read?: () => unknown,
) => Promise<Response>

const works = new WeakMap<RouteHandler, Work>()

/** The work of an `authenticated` handler, for the proofs: they call it with permissions that no role has. */
export const workOf = (handler: RouteHandler): Work | undefined => works.get(handler)

/**
 * Authenticates, then answers with what `work` returns; any error becomes the REST error body. `reading` takes the input out
 * of a request: of one that holds a token before the transaction of the admission is opened, which must not wait for a slow
 * sender. What is wrong with it is told only to whom the tenant lets in.
 */
export function authenticated(
  work: Work,
  reading?: (request: Request, context: RouteContext) => Promise<unknown>,
): RouteHandler {
  const handler: RouteHandler = async (request, context) => {
    const requestId = newId()
    let caller: Caller | undefined
    let admission: Admission | undefined
    try {
      const credentials = credentialsOf(request, requestId)
      const presented = await present(credentials)
      const hasBody = request.method !== 'GET'
      // A key says nothing before it was looked up.
      const read =
        hasBody && reading !== undefined && 'token' in presented
          ? await captureOutcome(reading(request, context))
          : undefined
      admission = await admit(presented, credentials)
      caller = admission.caller
      // A body may come slowly: no transaction waits for it.
      if (hasBody && read === undefined) await admission.end()
      return withRateHeaders(await work(caller, request, context, admission, read), callsStanding(caller.tenant.id))
    } catch (error) {
      const response = errorResponse(error, requestId)
      return caller === undefined ? response : withRateHeaders(response, callsStanding(caller.tenant.id))
    } finally {
      await admission?.end()
    }
  }
  works.set(handler, work)
  return handler
}

/** What stands behind a handler: an operation under a name, or the answer to a verb that the route does not have. */
export type Declaration = { name: string; operation: Declared } | 'no such verb'

const declarations = new WeakMap<RouteHandler, Declaration>()

/** Undefined for a handler that declares nothing; the boot refuses to serve one. */
export const declarationOf = (handler: RouteHandler): Declaration | undefined => declarations.get(handler)

/** Names the operation of a handler that is not made by `rest`, and is itself responsible for its permission. */
export function declare(declaration: Declaration, handler: RouteHandler): RouteHandler {
  declarations.set(handler, declaration)
  return handler
}

export type RestOptions<I, O> = {
  /** Operation input from the route: path parameters, query string, JSON body (read only when asked for). */
  input(from: {
    params: Record<string, string>
    query: Record<string, string>
    json(): Promise<unknown>
    /** For a body that is not plain JSON; it is read once. */
    request: Request
  }): Promise<unknown> | unknown
  status?: number
  /** The operation itself knows the same request again: its input has the Idempotency-Key. */
  ownIdempotency?: true
  /** Other than JSON: a download. It must answer with `output` alone. */
  respond?(output: O, caller: Caller): Promise<Response> | Response
  name: string
  operation: Query<I, O> | Mutation<I, O>
}

/** One operation behind one REST route. */
export function rest<I, O>(options: RestOptions<I, O>): RouteHandler {
  const reading = async (request: Request, context: RouteContext): Promise<unknown> => {
    const params = Object.fromEntries(Object.entries(await context.params).map(([key, value]) => [key, String(value)]))
    const query = Object.fromEntries(new URL(request.url).searchParams)
    return await options.input({ params, query, json: () => readJson(request), request })
  }
  const answer = authenticated(async (caller, request, context, admission, read) => {
    // Before anything is said of the input: validation tells a stranger nothing.
    authorize(caller, options.operation.permission)
    const input = read === undefined ? await reading(request, context) : read()
    const output = await execute(options.operation, caller, input, {
      name: options.name,
      admission,
      idempotencyKey:
        options.ownIdempotency === true ? undefined : (request.headers.get('idempotency-key') ?? undefined),
    })
    const response =
      options.respond === undefined
        ? Response.json(output, { status: options.status ?? 200 })
        : await options.respond(output, caller)
    for (const [header, value] of Object.entries(baseHeaders))
      if (!response.headers.has(header)) response.headers.set(header, value)
    response.headers.set('x-request-id', caller.requestId)
    return response
  }, reading)
  return declare({ name: options.name, operation: options.operation }, answer)
}

/** The methods of one route file; any other verb answers 405 with `Allow`. */
export function methods(
  table: Partial<Record<'GET' | 'POST', RouteHandler>>,
): Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', RouteHandler> {
  const allow = Object.keys(table).join(', ')
  const refuse = declare('no such verb', () => {
    const response = errorResponse(new ApiError('method_not_allowed', `This route answers ${allow}.`), newId())
    response.headers.set('allow', allow)
    return Promise.resolve(response)
  })
  return { GET: table.GET ?? refuse, POST: table.POST ?? refuse, PUT: refuse, PATCH: refuse, DELETE: refuse }
}
