/**
 * The client of the API's procedures. This file alone names the server's router type. How components use it:
 * components/api/query.ts.
 *
 * Each error that calls give is turned by `toFailure(error)` into {code, message, requestId, httpStatus, retryable,
 * details} (lib/failure.ts); components/session/request-failed.tsx shows one. Queries are not retried on 4xx. A mutation's
 * own Idempotency-Key goes through its context: `client.x.mutate(input, { context: { idempotencyKey } })`. A query whose input
 * may be long is POSTed: `client.x.query(input, { context: { posted: true } })`.
 */
import {
  createTRPCClient,
  createWSClient,
  httpBatchLink,
  httpLink,
  splitLink,
  TRPCClientError,
  wsLink,
} from '@trpc/client'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import { createTRPCContext } from '@trpc/tanstack-react-query'
import type { AppRouter } from '#server/router.ts'
import type { TokenSource } from './api-fetch.ts'
import { type Failure, failureFromBody, failureOf, RequestError } from './failure.ts'
import { wireTransformer } from './wire.ts'

export const { TRPCProvider, useTRPC } = createTRPCContext<AppRouter>()

/** Answers of procedures by name: `Answers['executions']['get']`. */
export type Answers = inferRouterOutputs<AppRouter>
export type Inputs = inferRouterInputs<AppRouter>

/** As in the server's adapters. */
const maxBatchSize = 10
/** An idle socket closes after this; the next subscription opens another. */
const socketIdleMs = 10_000
/** A lost socket is opened again after a delay that grows up to this, in milliseconds. */
const longestRetryMs = 8_000

type ClientOptions = {
  /** Undefined: the token's own tenant. */
  tenantExternalId: string | undefined
  tokens: TokenSource
  /** `fetch` with token and tenant (lib/api-fetch.ts). */
  fetchApi: typeof fetch
}

/** Queries in batches, mutations one by one (each has headers of its own), subscriptions over one socket. */
export function createClient({ tenantExternalId, tokens, fetchApi }: ClientOptions) {
  const socket = createWSClient({
    url: () => `${window.location.origin.replace(/^http/, 'ws')}/v1`,
    // Asked again for each connection: the server closes a socket when its token ends.
    connectionParams: async () => {
      const token = await tokens.accessToken()
      return {
        // The parameters of a new socket, because its first message is not an HTTP request.
        ...(await token.headersFor({ method: 'GET', url: `${window.location.origin}/v1` })),
        tenantExternalId,
      }
    },
    lazy: { enabled: true, closeMs: socketIdleMs },
    keepAlive: { enabled: true },
    retryDelayMs: (attempt) => Math.min(longestRetryMs, 500 * 2 ** attempt),
  })
  const transport = { url: '/v1', transformer: wireTransformer, fetch: fetchApi }
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (op) => op.type === 'subscription',
        true: wsLink({ client: socket, transformer: wireTransformer }),
        false: splitLink({
          condition: (op) => op.type === 'mutation',
          true: httpLink({ ...transport, headers: ({ op }) => idempotencyHeader(op.context.idempotencyKey) }),
          false: splitLink({
            condition: (op) => op.context.posted === true,
            true: httpLink({ ...transport, methodOverride: 'POST' }),
            false: httpBatchLink({ ...transport, maxItems: maxBatchSize, maxURLLength: 4000 }),
          }),
        }),
      }),
    ],
  })
}

export type Client = ReturnType<typeof createClient>

const idempotencyHeader = (key: unknown): Record<string, string> =>
  typeof key === 'string' ? { 'idempotency-key': key } : {}

/** What an error of a query, mutation, subscription or restFetch means. */
export function toFailure(error: unknown): Failure {
  if (error instanceof RequestError) return error.failure
  if (!(error instanceof TRPCClientError))
    return failureOf('unreadable', error instanceof Error ? error.message : String(error))
  if (error.cause instanceof RequestError) return error.cause.failure
  const response = error.meta?.response
  const answered = response instanceof Response ? response : new Response(null, { status: 500 })
  const data: unknown = error.data
  if (typeof data === 'object' && data !== null) return failureFromBody({ ...data, message: error.message }, answered)
  if (response instanceof Response) return failureFromBody(undefined, response)
  return failureOf('network', 'The connection was lost.')
}
