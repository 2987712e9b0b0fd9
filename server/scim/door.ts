import { ApiError } from '#lib/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { authorize } from '#server/kernel/auth/authorize.ts'
import { parseJson, readBody, refuseEncoded } from '#server/kernel/body.ts'
import { errorHeaders } from '#server/kernel/error-headers.ts'
import { answerFor } from '#server/kernel/errors.ts'
import { requireText } from '#server/kernel/input.ts'
import { wireLimits } from '#server/kernel/limits.ts'
import { noteOperation } from '#server/kernel/observe/request-note.ts'
import { type Operation, perform } from '#server/kernel/operation.ts'
import { authenticated, type RouteHandler } from '#server/kernel/rest.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { errorBody } from './protocol/errors.ts'

/** What a handler reads of a request. */
export type Given = {
  /** The path after the type of the resource. */
  id: string
  query: URLSearchParams
  body: JsonValue
  ifMatch: string | undefined
}

/** Only tokens of the use `scim` reach these operations, and such a token reaches nothing else. */
export const scimOnly = { permission: 'any', connectionTokens: 'scim', onlyConnectionTokens: true } as const

export type Answer = { status: number; body?: JsonObject; headers?: Record<string, string> }

/** One operation behind a method of a SCIM address. */
export function scim<I, O>(options: {
  name: string
  operation: Operation<I, O>
  input(given: Given): I
  answer(output: O, given: Given): Answer
}): RouteHandler {
  const { name, operation, input, answer } = options
  return authenticated(
    async (caller, request, context, admission) => {
      const authorized = authorize(caller, operation)
      const given = await givenIn(request, (await context.params) ?? {})
      const output = await perform(authorized, input(given), { name, admission })
      return respond(answer(output, given), caller.requestId)
    },
    { refused },
  )
}

/** An address that needs no data of the tenant. Its callers have a token of the same use. */
export const fixed = (name: string, answer: (given: Given) => Answer): RouteHandler =>
  authenticated(
    async (caller, request, context, admission) => {
      authorize(caller, scimOnly)
      noteOperation(name)
      await admission.end()
      return respond(answer(await givenIn(request, (await context.params) ?? {}, false)), caller.requestId)
    },
    { refused },
  )

async function givenIn(request: Request, params: Record<string, string | string[]>, reads = true): Promise<Given> {
  const query = new URL(request.url).searchParams
  for (const [name, value] of query) requireText(value, name)
  const hasBody = reads && ['POST', 'PUT', 'PATCH'].includes(request.method)
  return {
    id: String(params.id ?? ''),
    query,
    body: hasBody ? await readJson(request) : null,
    ifMatch: request.headers.get('if-match') ?? undefined,
  }
}

/** RFC 7644, section 3.1: application/scim+json; application/json is what some providers send. */
async function readJson(request: Request): Promise<JsonValue> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/(?:scim\+)?json *(?:;|$)/i.test(type))
    throw new ApiError('unsupported_media_type', 'Send the body as application/scim+json.')
  refuseEncoded(request)
  return parseJson(await readBody(request, wireLimits.json.bytes))
}

function respond({ status, body, headers = {} }: Answer, requestId: string): Response {
  const response = body === undefined ? new Response(null, { status }) : scimJson(body, status)
  for (const [header, value] of Object.entries({ 'x-request-id': requestId, ...headers }))
    response.headers.set(header, value)
  // With an ETag, so that a provider may ask whether a resource has changed (If-None-Match).
  response.headers.set('cache-control', headers.etag === undefined ? 'no-store' : 'private, no-cache')
  return response
}

const scimJson = (body: JsonObject, status: number): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/scim+json' } })

/** The error body of SCIM, for refusals of every part of the server. */
export function refused(error: unknown, requestId: string): Response {
  const answer = answerFor(error, requestId, runtime().log)
  const response = scimJson(errorBody(error, answer), answer.status)
  const headers = { 'cache-control': 'no-store', 'x-request-id': requestId, ...errorHeaders(error, answer.status) }
  for (const [header, value] of Object.entries(headers)) response.headers.set(header, value)
  return response
}

/** A response with one resource. Its version is its ETag. */
export function resourceAnswer(resource: JsonObject, shown: JsonObject, status = 200): Answer {
  const meta = isJsonObject(resource.meta) ? resource.meta : {}
  return {
    status,
    body: shown,
    headers: {
      ...(typeof meta.version === 'string' ? { etag: meta.version } : {}),
      ...(status === 201 && typeof meta.location === 'string' ? { location: meta.location } : {}),
    },
  }
}
