import { ApiError } from '#lib/errors.ts'
import { mayBeCompressed } from './answers/compress.ts'
import type { Admission } from './auth/admit.ts'
import { authorize } from './auth/authorize.ts'
import type { Caller } from './auth/principal.ts'
import { readJson } from './body.ts'
import { errorHeaders } from './error-headers.ts'
import { answerFor, type ErrorAnswer } from './errors.ts'
import { newId } from './ids.ts'
import { parametersOf } from './input.ts'
import { letIn } from './let-in.ts'
import { type Declared, isContained, type Operation, perform } from './operation.ts'
import type { RouteWire } from './route-wire.ts'
import { runtime } from './runtime.ts'

/**
 * The second argument of a route handler, from Next and from the product's own server. Next leaves out the parameters of a
 * path that does not have any.
 */
export type RouteContext = { params?: Promise<Record<string, string | string[]>> }
export type RouteHandler = (request: Request, context: RouteContext) => Promise<Response>

const baseHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

type ErrorBody = { type: string; body: string | Uint8Array<ArrayBuffer> }

/** The error body of REST routes. Selecting a tenant without a membership has a body with a single field. */
function restBody({ code, message, requestId, retryable, issues, details }: ErrorAnswer): ErrorBody {
  const body =
    code === 'tenant_access_denied'
      ? { error: message }
      : { error: message, code, requestId, retryable, issues, ...details }
  return { type: 'application/json', body: JSON.stringify(body) }
}

/** `bodyOf`: for a protocol that has error bodies of its own. */
export function errorResponse(
  error: unknown,
  requestId: string,
  bodyOf: (answer: ErrorAnswer) => ErrorBody = restBody,
): Response {
  const answer = answerFor(error, requestId, runtime().log)
  const { type, body } = bodyOf(answer)
  return new Response(body, {
    status: answer.status,
    headers: {
      ...baseHeaders,
      'content-type': type,
      'x-request-id': requestId,
      ...errorHeaders(error, answer.status),
    },
  })
}

/** The work of a route once the caller is known. `read` is the result of the route's `reading`, or its error. */
type Work = (
  caller: Caller,
  request: Request,
  context: RouteContext,
  admission: Pick<Admission, 'claim' | 'end' | 'confirmed'>,
  read?: () => unknown,
) => Promise<Response>

const works = new WeakMap<RouteHandler, Work>()

/** The work of an `authenticated` handler, for property tests that call it with permissions that no role has. */
export const workOf = (handler: RouteHandler): Work | undefined => works.get(handler)

/**
 * Authenticates, then responds with the result of `work`; any error becomes the REST error body. `reading` is passed to
 * letIn. `tenantIn`: the external id in the path, which selects the tenant.
 */
export function authenticated(
  work: Work,
  {
    reading,
    tenantIn,
    contained = false,
    refused = (error, requestId) => errorResponse(error, requestId),
  }: {
    reading?: (request: Request, context: RouteContext) => Promise<unknown>
    tenantIn?: (request: Request) => string | undefined
    /** As for letIn. */
    contained?: boolean
    refused?: (error: unknown, requestId: string, request: Request) => Response
  } = {},
): RouteHandler {
  const handler: RouteHandler = (request, context) =>
    letIn(
      request,
      {
        reading: reading && (() => reading(request, context)),
        ...(tenantIn === undefined ? {} : { tenantIn: () => tenantIn(request) }),
        isContained: contained,
        refused: (error, requestId) => refused(error, requestId, request),
      },
      (admission, read) => work(admission.caller, request, context, admission, read),
    )
  works.set(handler, work)
  return handler
}

/** The declaration behind a handler: a named operation, or the response to a verb that the route does not support. */
export type Declaration = { name: string; operation: Declared; wire: RouteWire } | 'no such verb'

const declarations = new WeakMap<RouteHandler, Declaration>()

/** Undefined for a handler without a declaration; the server does not start with such a handler. */
export const declarationOf = (handler: RouteHandler): Declaration | undefined => declarations.get(handler)

/** Names the operation of a handler that is not created by `rest` and that checks its permission itself. */
export function declare(declaration: Declaration, handler: RouteHandler): RouteHandler {
  declarations.set(handler, declaration)
  return handler
}

export type RestOptions<I, O> = {
  /** Operation input from the route: path parameters, query string, JSON body (read only on request). */
  input(from: {
    params: Record<string, string>
    query: Record<string, string>
    json(): Promise<unknown>
    /** For a body that is not plain JSON; it can be read once. */
    request: Request
  }): Promise<unknown> | unknown
  status?: number
  /** The operation itself recognizes repeated requests: its input contains the Idempotency-Key. */
  ownIdempotency?: true
  /** What the schemas of the operation don't show of this route. The catalog is built from it. */
  wire?: RouteWire
  /** For responses other than JSON, such as downloads. It must use only `output`. */
  respond?(output: O, caller: Caller): Promise<Response> | Response
  name: string
  operation: Operation<I, O>
}

/** One operation behind one REST route. */
export function rest<I, O>(options: RestOptions<I, O>): RouteHandler {
  const reading = async (request: Request, context: RouteContext): Promise<unknown> => {
    const given = Object.entries((await context.params) ?? {})
    const params = Object.fromEntries(given.map(([key, value]) => [key, String(value)]))
    const { searchParams } = new URL(request.url)
    let isQueryRead = false
    const input = await options.input({
      params,
      get query() {
        isQueryRead = true
        return Object.fromEntries(searchParams)
      },
      json: () => readJson(request),
      request,
    })
    // A route that reads its query string has a schema, which refuses what it does not know.
    if (!isQueryRead) parametersOf(request, [])
    return input
  }
  const json = (output: O): Response => {
    const response = Response.json(output, { status: options.status ?? 200 })
    return options.operation.showsSecrets === true ? response : mayBeCompressed(response)
  }
  const answer = authenticated(
    async (caller, request, context, admission, read) => {
      const authorized = authorize<Operation<I, O>>(caller, options.operation)
      const input = read === undefined ? await reading(request, context) : read()
      const output = await perform(authorized, input, {
        name: options.name,
        admission,
        idempotencyKey:
          options.ownIdempotency === true ? undefined : (request.headers.get('idempotency-key') ?? undefined),
      })
      const response = options.respond === undefined ? json(output) : await options.respond(output, caller)
      for (const [header, value] of Object.entries(baseHeaders))
        if (!response.headers.has(header)) response.headers.set(header, value)
      response.headers.set('x-request-id', caller.requestId)
      return response
    },
    // A response of its own may have begun to send when the caller is confirmed.
    { reading, contained: options.respond === undefined && isContained(options.operation) },
  )
  const { name, operation, status = 200, wire } = options
  return declare(
    { name, operation, wire: { statuses: [status], replays: operation.kind === 'mutation', ...wire } },
    answer,
  )
}

/** HEAD is answered wherever GET is. */
export const allowOf = (table: object): string =>
  ['GET', 'POST']
    .flatMap((method) => (method in table ? (method === 'GET' ? ['GET', 'HEAD'] : [method]) : []))
    .join(', ')

/** The methods of one route file; any other verb gets 405 with `Allow`. */
export function methods(
  table: Partial<Record<'GET' | 'POST', RouteHandler>>,
): Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', RouteHandler> {
  const allow = allowOf(table)
  const refuse = declare('no such verb', () => {
    const response = errorResponse(new ApiError('method_not_allowed', `This route supports ${allow}.`), newId())
    response.headers.set('allow', allow)
    return Promise.resolve(response)
  })
  return { GET: table.GET ?? refuse, POST: table.POST ?? refuse, PUT: refuse, PATCH: refuse, DELETE: refuse }
}
