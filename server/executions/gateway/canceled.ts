import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { notify, topicOf } from '#server/kernel/db/notify.ts'
import { runtime } from '#server/kernel/runtime.ts'

// Before 2026-07-28, a client that gives up sends a notification, and may leave the response open. Requests are not bound to a node,
// so any of them may get it.

const RequestId = z.union([z.string(), z.number()])
const Canceled = z.looseObject({
  method: z.literal('notifications/cancelled'),
  params: z.looseObject({ requestId: RequestId }),
})

/** Where ids of requests are compared. */
export type Place = { tenantId: string; digest: (requestId: string | number) => string }

/**
 * A member at an address, in a session if the client was given one. Two clients of a member may use the same ids: then the other one is
 * told that its call is pending.
 */
export function placeOf({ tenant, principal }: Caller, { url, headers }: Request): Place {
  const { pathname, search } = new URL(url)
  const place = [principal.memberId, pathname, search, headers.get('mcp-session-id')]
  return {
    tenantId: tenant.id,
    digest: (id) =>
      createHash('sha256')
        .update(JSON.stringify([...place, id]))
        .digest('hex'),
  }
}

/** Calls `then` when the client gives up the request, on any node. The returned function ends that. */
export const whenCanceled = ({ tenantId, digest }: Place, id: string | number, then: () => void): (() => void) =>
  runtime().listener.on('canceled_call', topicOf(tenantId, digest(id)), (topic) => {
    // After a reconnection, readers are woken without a topic.
    if (topic !== undefined) then()
  })

/** Tells all nodes which requests the client gives up, if the message or the batch says so. */
export async function tellCanceled({ tenantId, digest }: Place, message: unknown): Promise<void> {
  const ids = (Array.isArray(message) ? message : [message]).flatMap((one) => {
    const canceled = Canceled.safeParse(one)
    return canceled.success ? [canceled.data.params.requestId] : []
  })
  if (ids.length === 0) return
  await runtime().database.inTenant(tenantId, async (tx) => {
    for (const id of ids) notify(tx, 'canceled_call', topicOf(tenantId, digest(id)))
  })
}
