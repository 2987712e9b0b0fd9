import { hash } from 'node:crypto'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { JsonObject } from '#lib/schemas/common.ts'
import { findLogOwner, type LogOwner } from '#server/audit/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { readInput } from '#server/kernel/input.ts'
import { query } from '#server/kernel/operation.ts'
import { lookUpForStranger } from '#server/kernel/rate/lookups.ts'
import { declare, errorResponse, type RouteHandler, rest } from '#server/kernel/rest.ts'
import type { RouteWire } from '#server/kernel/route-wire.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { headsIn, knownHeads, knownHeadsOf } from './log-keys.ts'
import { parseLogPath } from './log-resource.ts'
import { readLog } from './read-log.ts'

const Resource = z.object({ mediaType: z.string(), immutable: z.boolean(), body: z.base64() })
type Resource = z.infer<typeof Resource>

/** `seals`, `day` and `size`: what the caller knows of the log, for `t/<external id>/keys`. */
const Input = z.strictObject({ path: z.string().min(1).max(500), ...knownHeads })
type Input = z.infer<typeof Input>

/** Checkpoints, tiles, keys and closed days of the caller's tenant, for monitors. Those of other tenants are not found. */
const logGet = query({
  permission: 'any',
  input: Input,
  output: Resource,
  run: ({ tx, tenant, input }) => find(tx, tenant, input),
})

async function find(tx: Transaction, tenant: LogOwner, { path, ...known }: Input): Promise<Resource> {
  const resource = parseLogPath(path)
  if (resource?.externalId !== tenant.externalId) throw notFound()
  const { mediaType, immutable, bytes } = await readLog(tx, tenant, resource, knownHeadsOf(known))
  return { mediaType, immutable, body: Buffer.from(bytes).toString('base64') }
}

function respond({ mediaType, immutable, body }: Resource): Response {
  const scope = runtime().config.publicLog ? 'public' : 'private'
  const bytes = Buffer.from(body, 'base64')
  return new Response(bytes, {
    headers: {
      'content-type': mediaType,
      'cache-control': immutable ? `${scope}, max-age=31536000, immutable` : 'no-cache',
      ...(immutable && { etag: `"${hash('sha256', bytes, 'base64url')}"` }),
      'x-content-type-options': 'nosniff',
    },
  })
}

const pathOf = (request: Request): string => new URL(request.url).pathname.replace(/^\/v1\/log\//, '')

/** Other fields of the query string are ignored, as they always were. */
function inputOf(request: Request, query: Record<string, string>): Record<string, string> {
  return { path: pathOf(request), ...headsIn(query) }
}

/** Checkpoints and the keys of one log are text; tiles and entries are bytes; all keys are JSON. */
const wire: RouteWire = {
  answer: { 'text/plain': 'text', 'application/octet-stream': 'bytes', 'application/json': JsonObject },
  headers: ['if-none-match'],
}

const asMember = rest({
  name: 'log.get',
  operation: logGet,
  input: ({ request, query }) => inputOf(request, query),
  respond,
})

/** `GET /v1/log/…`: public with PUBLIC_LOG, else for members of the tenant. */
export const logRoute: RouteHandler = declare(
  { name: 'log.get', operation: logGet, wire },
  async (request, context) => {
    const { config, database } = runtime()
    if (!config.publicLog) return await asMember(request, context)
    const requestId = newId()
    try {
      const input = readInput(Input, inputOf(request, Object.fromEntries(new URL(request.url).searchParams)))
      const externalId = parseLogPath(input.path)?.externalId
      const response = await lookUpForStranger('log-keys', async () => {
        const tenant = externalId && (await database.inDirectory((tx) => findLogOwner(tx, externalId)))
        if (!tenant) throw notFound()
        return respond(await database.inTenant(tenant.id, (tx) => find(tx, tenant, input)))
      })
      response.headers.set('access-control-allow-origin', '*')
      response.headers.set('x-request-id', requestId)
      return response
    } catch (error) {
      return errorResponse(error, requestId)
    }
  },
)
