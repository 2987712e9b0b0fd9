import { hash } from 'node:crypto'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { findLogOwner, type LogOwner } from '#server/audit/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { query } from '#server/kernel/operation.ts'
import { lookUpForStranger } from '#server/kernel/rate/lookups.ts'
import { declare, errorResponse, type RouteHandler, rest } from '#server/kernel/rest.ts'
import type { RouteWire } from '#server/kernel/route-wire.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { parseLogPath } from './log-resource.ts'
import { readLog } from './read-log.ts'

const Resource = z.object({ mediaType: z.string(), immutable: z.boolean(), body: z.base64() })
type Resource = z.infer<typeof Resource>

/** Checkpoints, tiles, keys and closed days of the caller's tenant, for monitors. Those of other tenants are not found. */
const logGet = query({
  permission: 'any',
  input: z.strictObject({ path: z.string().min(1).max(500) }),
  output: Resource,
  run: ({ tx, tenant, input }) => find(tx, tenant, input.path),
})

async function find(tx: Transaction, tenant: LogOwner, path: string): Promise<Resource> {
  const resource = parseLogPath(path)
  if (resource?.externalId !== tenant.externalId) throw notFound()
  const { mediaType, immutable, bytes } = await readLog(tx, tenant, resource)
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

/** Checkpoints and keys are text; tiles and entries are bytes. */
const wire: RouteWire = {
  answer: { 'text/plain': 'text', 'application/octet-stream': 'bytes' },
  headers: ['if-none-match'],
}

const asMember = rest({
  name: 'log.get',
  operation: logGet,
  input: ({ request }) => ({ path: pathOf(request) }),
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
      const path = pathOf(request)
      const externalId = parseLogPath(path)?.externalId
      const response = await lookUpForStranger('log-keys', async () => {
        const tenant = externalId && (await database.inDirectory((tx) => findLogOwner(tx, externalId)))
        if (!tenant) throw notFound()
        return respond(await database.inTenant(tenant.id, (tx) => find(tx, tenant, path)))
      })
      response.headers.set('access-control-allow-origin', '*')
      response.headers.set('x-request-id', requestId)
      return response
    } catch (error) {
      return errorResponse(error, requestId)
    }
  },
)
