import { ApiError } from '#lib/errors.ts'
import { wireTransformer } from '#lib/wire.ts'
import { mayBeCompressed } from '#server/kernel/answers/compress.ts'
import { readJsonText } from '#server/kernel/body.ts'
import { answerAlone } from '#server/kernel/calls/call-alone.ts'
import { textFlaw } from '#server/kernel/input.ts'
import { scanJson } from '#server/kernel/json-budget.ts'
import { isRead, letIn } from '#server/kernel/let-in.ts'
import { isContained } from '#server/kernel/operation.ts'
import { procedureError } from '#server/kernel/procedure-error.ts'
import { retryHeaders } from '#server/kernel/rate/headers.ts'
import { errorResponse, type RouteHandler } from '#server/kernel/rest.ts'
import {
  answerProcedure,
  type CallContext,
  declaredProcedures,
  maxBatchSize,
  proceduresAlone,
} from '#server/kernel/trpc.ts'
import { appRouter } from './router.ts'

/**
 * `GET|POST /v1/<procedure>`: authentication, tenant and size are checked before the procedure library sees the call.
 */
export const procedures: RouteHandler = (request) => {
  const path = new URL(request.url).pathname.slice('/v1/'.length)
  const reading = () => readJsonText(request)
  return letIn(
    request,
    {
      reading,
      // The library refuses a longer batch.
      calls: Math.min(path.split(',').length, maxBatchSize),
      isContained: contained.has(path) && isSingle(request),
      tenantIn: (read) => tenantNamedIn(request.url, path, read),
      // Selecting a tenant without a membership has the same response body on both transports.
      refused: (error, requestId) =>
        error instanceof ApiError && error.code === 'tenant_access_denied'
          ? errorResponse(error, requestId)
          : procedureError(error, requestId, path),
    },
    async (admission, read) => {
      const { caller } = admission
      const body = isRead(request) ? undefined : await (read ?? reading)()
      const idempotencyKey = request.headers.get('idempotency-key') ?? undefined
      const { response, text } = await answer(request, path, body, { caller, idempotencyKey, admission })
      response.headers.set('x-request-id', caller.requestId)
      response.headers.set('x-content-type-options', 'nosniff')
      for (const [name, value] of Object.entries(retryHeaders(undefined, response.status)))
        response.headers.set(name, value)
      return path.split(',').every((name) => withoutSecrets.has(name)) ? mayBeCompressed(response, text) : response
    },
  )
}

/** HEAD is answered like GET, and its body is dropped in the end (routes.ts). */
async function answer(
  request: Request,
  path: string,
  body: string | undefined,
  context: CallContext,
): Promise<{ response: Response; text?: string }> {
  const { searchParams } = new URL(request.url)
  const method = isRead(request) ? 'GET' : request.method
  // The input in an address keeps the rules of a body, which such a request lacks.
  if (body === undefined) scanJson(Buffer.from(searchParams.get('input') ?? ''))
  const call = isSingle(request) ? alone.get(`${method} ${path}`) : undefined
  if (call !== undefined) {
    // An empty parameter is none, and an empty body is not JSON.
    const text = body ?? (searchParams.get('input') || null)
    return await answerAlone({ path, method, parameters: [...searchParams.keys()], text }, call, context)
  }
  const { url, headers, signal } = request
  return { response: await answerProcedure(new Request(url, { method, headers, signal, body }), appRouter, context) }
}

const alone = proceduresAlone(appRouter)

/** Answered as a whole. The responses to a batch and to a call that accepts a stream begin before their operations have run. */
const isSingle = ({ url, headers }: Request): boolean =>
  !new URL(url).searchParams.has('batch') &&
  headers.get('trpc-accept') === null &&
  headers.get('accept')?.includes('application/jsonl') !== true

/** Single calls of operations whose effects are all in their transaction. */
const contained = new Set(
  declaredProcedures(appRouter).flatMap(([name, operation]) => (isContained(operation) ? [name] : [])),
)

/** A batch is compressed only if each of its calls may be. Streams are sent event by event. */
const withoutSecrets = new Set(
  declaredProcedures(appRouter).flatMap(([name, { kind, showsSecrets }]) =>
    kind === 'subscription' || showsSecrets === true ? [] : [name],
  ),
)

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
  // The schema reports a text that can't be stored.
  return typeof named === 'string' && textFlaw(named) === undefined ? named : undefined
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
