import { AsyncLocalStorage } from 'node:async_hooks'
import { type AnyProcedure, type AnyRouter, initTRPC, type TRPCError } from '@trpc/server'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import type { z } from 'zod'
import { ApiError } from '#lib/errors.ts'
import { wireTransformer } from '#lib/wire.ts'
import type { Admission } from './auth/admit.ts'
import { type Authorized, authorize } from './auth/authorize.ts'
import type { Caller } from './auth/principal.ts'
import { follow } from './calls/follow.ts'
import { answerFor } from './errors.ts'
import { newId } from './ids.ts'
import { refuseUnread } from './input.ts'
import { noteOperation } from './observe/request-note.ts'
import { type Declared, type Mutation, perform, type Query, type Subscription, subscribe } from './operation.ts'
import { asTrpcError, procedureError } from './procedure-error.ts'
import { takeCalls } from './rate/limits.ts'
import { runtime } from './runtime.ts'

/** The context of an authenticated call: transports create a tRPC context only after authentication. */
export type CallContext = {
  caller: Caller
  idempotencyKey?: string | undefined
  /** The transaction of the admission, in which the call's first operation continues. */
  admission?: Pick<Admission, 'claim' | 'end' | 'confirmed'>
  /** A socket keeps its context for its whole life, so it carries only subscriptions. */
  socket?: boolean
  /** Bytes that the socket has not sent yet. */
  buffered?: () => number
}

/** What an operation reads of its request outside the input. */
export type CallRequest = { method: string; parameters: readonly string[] }
/** A call of one operation, without the library. `input` is not read before the caller may call the operation. */
export type CallAlone = { ctx: CallContext; path: string; request: CallRequest; input(): unknown }
export type ProcedureAlone = (call: CallAlone) => Promise<unknown>
type Meta = { operation: Declared; alone?: ProcedureAlone }

/** The current request, for errors that occur before the context exists. */
const requests = new AsyncLocalStorage<CallRequest & { id: string; batch: boolean }>()

const t = initTRPC
  .context<CallContext>()
  .meta<Meta>()
  .create({
    transformer: wireTransformer,
    sse: { ping: { enabled: true, intervalMs: 15_000 } },
    // `data.code` is tRPC's word for the status (NOT_FOUND), `data.reason` the product's error code; nothing else
    // leaves the server.
    errorFormatter({ shape, error, ctx, path }) {
      const answer = answerFor(
        causeOf(error),
        ctx?.caller.requestId ?? requests.getStore()?.id ?? newId(),
        runtime().log,
      )
      return {
        message: answer.message,
        code: shape.code,
        data: {
          code: shape.data.code,
          httpStatus: answer.status,
          path: path ?? null,
          requestId: answer.requestId,
          reason: answer.code,
          retryable: answer.retryable,
          issues: answer.issues,
          ...(answer.details ?? {}),
        },
      }
    },
  })

/**
 * The error that an operation threw, or tRPC's own error (unknown procedure, invalid JSON, wrong verb) as an ApiError.
 */
function causeOf(error: TRPCError): unknown {
  if (error.cause instanceof ApiError) return error.cause
  if (error.code === 'NOT_FOUND') return new ApiError('not_found', 'Procedure not found.')
  if (error.code === 'METHOD_NOT_SUPPORTED') return new ApiError('method_not_allowed', error.message)
  if (error.code === 'UNSUPPORTED_MEDIA_TYPE')
    return new ApiError('unsupported_media_type', 'Send the body as application/json.')
  if (error.code === 'PARSE_ERROR' || error.code === 'BAD_REQUEST')
    return new ApiError(
      'bad_request',
      requests.getStore()?.batch === true
        ? `The input is not valid JSON, or the batch contains a subscription or more than ${maxBatchSize} calls.`
        : 'The input is not valid JSON.',
    )
  return error.cause ?? error
}

/**
 * The kernel parses the input and enforces all guarantees (operation.ts); tRPC only needs the types, so its parser
 * passes the input through.
 */
const typed =
  <I>(_schema: z.ZodType<unknown, I>) =>
  (raw: unknown): I =>
    raw as I

const run = async <O>(ctx: CallContext, work: () => Promise<O>): Promise<O> => {
  try {
    refuseSocket(ctx)
    return await work()
  } catch (error) {
    throw asTrpcError(error)
  }
}

function refuseSocket(ctx: CallContext): void {
  if (ctx.socket === true)
    throw new ApiError('method_not_allowed', 'A socket carries only subscriptions. Send this call over HTTP.')
}

/**
 * Checks the permission before the library reads the input: not even an invalid body reveals anything without the
 * permission.
 */
const declared = <Op extends Declared>(operation: Op, alone?: ProcedureAlone) =>
  t.procedure.meta({ operation, ...(alone && { alone }) }).use(({ ctx, path, next }) => {
    try {
      return next({ ctx: { authorized: enter(operation, ctx, path, requests.getStore()) } })
    } catch (error) {
      throw asTrpcError(error)
    }
  })

function enter<Op extends Declared>(
  operation: Op,
  { caller }: CallContext,
  path: string,
  request: CallRequest | undefined,
): Authorized<Op> {
  noteOperation(path)
  const authorized = authorize(caller, operation)
  if (request !== undefined) refuseUnread(operation.kind, request)
  return authorized
}

const optionsOf = (kind: Declared['kind'], { idempotencyKey, admission }: CallContext, path: string) => ({
  name: path,
  admission,
  ...(kind === 'mutation' ? { idempotencyKey } : {}),
})

const calledAlone =
  <I, O, In>(operation: Query<I, O, In> | Mutation<I, O, In>) =>
  async ({ ctx, path, request, input }: CallAlone): Promise<unknown> =>
    await perform(enter(operation, ctx, path, request), input(), optionsOf(operation.kind, ctx, path))

export const procedure = {
  query: <I, O, In>(operation: Query<I, O, In>) =>
    declared(operation, calledAlone(operation))
      .input(typed<In>(operation.input))
      .query(({ ctx, input, path }) =>
        run<O>(ctx, () => perform(ctx.authorized, input, optionsOf('query', ctx, path))),
      ),
  mutation: <I, O, In>(operation: Mutation<I, O, In>) =>
    declared(operation, calledAlone(operation))
      .input(typed<In>(operation.input))
      .mutation(({ ctx, input, path }) =>
        run<O>(ctx, () => perform(ctx.authorized, input, optionsOf('mutation', ctx, path))),
      ),
  subscription: <I, E, In>(operation: Subscription<I, E, In>) =>
    declared(operation)
      .input(typed<In>(operation.input))
      .subscription(async ({ ctx, input, signal }) => {
        try {
          // A socket is counted once, when it opens, whatever it subscribes to afterwards.
          if (ctx.socket === true) await takeCalls(ctx.caller.tenant.id)
          const ended = new AbortController()
          const events = await subscribe(ctx.authorized, input, {
            buffered: ctx.buffered,
            signal: signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]),
          })
          return follow(events, ctx, ended)
        } catch (error) {
          throw asTrpcError(error)
        }
      }),
}

export const router = t.router
/** One namespace from two, for a domain whose operations can't all be in one router (server/access). */
export const mergeRouters = t.mergeRouters

/** Every procedure by its dotted name, with its declaration. Throws if one was not created by `procedure`. */
export function declaredProcedures(appRouter: AnyRouter): [name: string, operation: Declared][] {
  const procedures: Record<string, AnyProcedure> = appRouter._def.procedures
  return Object.entries(procedures).map(([name, { _def }]) => {
    const meta = _def.meta as Meta | undefined
    if (meta === undefined) throw new Error(`The procedure ${name} declares no operation.`)
    return [name, meta.operation]
  })
}

/** Every query and mutation by the method and the name of a call, such as `GET tenants.current`, to be called without the library. */
export const proceduresAlone = (appRouter: AnyRouter): Map<string, ProcedureAlone> =>
  new Map(
    Object.entries<AnyProcedure>(appRouter._def.procedures).flatMap(([name, { _def }]) => {
      const { alone, operation } = _def.meta as Meta
      if (alone === undefined) return []
      const methods = operation.kind === 'query' ? ['GET', 'POST'] : ['POST']
      return methods.map((method) => [`${method} ${name}`, alone] as const)
    }),
  )

/** Maximum number of calls in one HTTP request. */
export const maxBatchSize = 10

/** Answers one HTTP call of a procedure. The caller is already authenticated and the body size already limited. */
export function answerProcedure(
  request: Request,
  appRouter: Parameters<typeof fetchRequestHandler>[0]['router'],
  context: CallContext,
): Promise<Response> {
  const url = new URL(request.url)
  const path = url.pathname.slice('/v1/'.length)
  const id = context.caller.requestId
  // A subscription that is refused before it begins. The library would send the error as the first event of a stream.
  let refused: TRPCError | undefined
  const parameters = [...url.searchParams.keys()]
  const { method } = request
  return requests.run({ id, batch: url.searchParams.get('batch') === '1', method, parameters }, async () => {
    if (method === 'POST' && kindOf(appRouter, path) === 'subscription')
      return procedureError(new ApiError('method_not_allowed', `${path} is a subscription. Send GET.`), id, path, {
        allow: allowed.subscription,
      })
    const response = await fetchRequestHandler({
      endpoint: '/v1',
      req: request,
      router: appRouter,
      createContext: () => context,
      allowMethodOverride: true,
      maxBatchSize,
      onError: ({ type, error }) => {
        if (type === 'subscription') refused ??= error
      },
      responseMeta: ({ errors }) => ({
        headers: {
          'cache-control': 'no-store',
          ...(errors.some((error) => error.code === 'METHOD_NOT_SUPPORTED')
            ? { allow: allowed[kindOf(appRouter, path) ?? 'mutation'] }
            : {}),
          ...(errors.some((error) => error.code === 'SERVICE_UNAVAILABLE') ? { 'retry-after': '1' } : {}),
        },
      }),
    })
    // Errors of an open stream come later, when its body is read.
    if (refused === undefined) return response
    await response.body?.cancel()
    return procedureError(causeOf(refused), id, path)
  })
}

/** The methods of a procedure, as in `Allow`. A query whose input is too long for an address may be posted. */
export const allowed = { query: 'GET, HEAD, POST', mutation: 'POST', subscription: 'GET, HEAD' } as const

function kindOf({ _def }: AnyRouter, path: string): keyof typeof allowed | undefined {
  const procedures: Record<string, AnyProcedure> = _def.procedures
  return Object.hasOwn(procedures, path) ? procedures[path]?._def.type : undefined
}
