import { z } from 'zod'
import { ApiError, notFound } from '#lib/errors.ts'
import { findLogOwner } from '#server/audit/store.ts'
import { newId } from '#server/kernel/ids.ts'
import { errorResponse, type RouteHandler } from '#server/kernel/rest.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { type KnownHeads, logKeysFile } from './log-keys.ts'

const Size = z.coerce
  .number()
  .int()
  .min(0)
  .max(2 ** 31)
const Query = z.object({ seals: Size.optional(), day: z.iso.date().optional(), size: Size.optional() }).transform(
  ({ seals, day, size }): KnownHeads => ({
    seals,
    day: day === undefined || size === undefined ? undefined : { date: day, size },
  }),
)

/**
 * `GET /.well-known/countersign/<external id>/log-keys.json`: public, so that an archive can be checked
 * without an account. `?seals=<size>&day=<date>&size=<size>` name what an archive knows, for a proof that the log continues it.
 */
export const logKeysRoute: RouteHandler = async (request, context) => {
  const requestId = newId()
  try {
    const { externalId } = z.object({ externalId: z.string() }).parse(await context.params)
    const query = Query.safeParse(Object.fromEntries(new URL(request.url).searchParams))
    if (!query.success)
      throw new ApiError('bad_request', 'The query may have the sizes seals and size, and the date day (YYYY-MM-DD).')
    const { database } = runtime()
    const tenant = await database.inDirectory((tx) => findLogOwner(tx, externalId))
    if (tenant === undefined) throw notFound()
    const file = await database.inTenant(tenant.id, (tx) => logKeysFile(tx, tenant, query.data))
    return Response.json(file, {
      headers: { 'cache-control': 'no-cache', 'access-control-allow-origin': '*', 'x-request-id': requestId },
    })
  } catch (error) {
    return errorResponse(error, requestId)
  }
}
