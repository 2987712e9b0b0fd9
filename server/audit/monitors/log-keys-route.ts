import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { ApiError, notFound } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { findLogOwner } from '#server/audit/store.ts'
import { newId } from '#server/kernel/ids.ts'
import { lookUpForStranger } from '#server/kernel/rate/lookups.ts'
import { errorResponse, type RouteHandler } from '#server/kernel/rest.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { headsIn, type KnownHeads, knownHeads, knownHeadsOf, logKeysFile } from './log-keys.ts'

/**
 * Files of the last seconds. An archive that is newer than a cached file names heads that the file's request did not name, so
 * it never gets an older file.
 */
const files = new LRUCache<string, Promise<JsonObject>>({ max: 500, ttl: 5000 })

function recentFile(externalId: string, known: KnownHeads): Promise<JsonObject> {
  const name = JSON.stringify([externalId, known.seals, known.day?.date, known.day?.size])
  const cached = files.get(name)
  if (cached !== undefined) return cached
  // Reading takes several statements, a decryption for each key and signatures, and anyone may ask.
  const made = lookUpForStranger('log-keys', () => makeFile(externalId, known))
  files.set(name, made)
  made.catch(() => files.delete(name))
  return made
}

async function makeFile(externalId: string, known: KnownHeads): Promise<JsonObject> {
  const { database } = runtime()
  const tenant = await database.inDirectory((tx) => findLogOwner(tx, externalId))
  if (tenant === undefined) throw notFound()
  return await database.inTenant(tenant.id, (tx) => logKeysFile(tx, tenant, known))
}

const Query = z.object(knownHeads).transform(knownHeadsOf)

/**
 * `GET /.well-known/countersign/<external id>/log-keys.json`: public, so that an archive can be checked
 * without an account. `?seals=<size>&day=<date>&size=<size>` name what an archive knows, for a proof that the log continues it.
 */
export const logKeysRoute: RouteHandler = async (request, context) => {
  const requestId = newId()
  try {
    const { externalId } = z.object({ externalId: z.string() }).parse(await context.params)
    const query = Query.safeParse(headsIn(Object.fromEntries(new URL(request.url).searchParams)))
    if (!query.success)
      throw new ApiError('bad_request', 'The query may have the sizes seals and size, and the date day (YYYY-MM-DD).')
    const file = await recentFile(externalId, query.data)
    return Response.json(file, {
      headers: { 'cache-control': 'no-cache', 'access-control-allow-origin': '*', 'x-request-id': requestId },
    })
  } catch (error) {
    return errorResponse(error, requestId)
  }
}
