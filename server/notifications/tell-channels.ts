import type { JsonObject } from '#lib/json.ts'
import type { NotificationEvent } from '#lib/schemas/notifications/channels.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findChannelsFor } from './channel-store.ts'
import { insertDelivery } from './delivery-store.ts'

export const notificationQueue = 'notifications'

/**
 * Reports an event over the channels of the tenant that want it, in the transaction that causes it; a worker sends after the
 * commit. `facts`: what the subject itself does not say then.
 */
export async function tellChannels(
  tx: Transaction,
  tenantId: string,
  event: NotificationEvent,
  subjectId: string,
  facts: JsonObject = {},
): Promise<void> {
  const channels = await findChannelsFor(tx, tenantId, event)
  await tellThese(
    tx,
    tenantId,
    channels.map(({ id }) => id),
    { event, subjectId, facts },
  )
}

/** The same over channels that the transaction has read (`readChannelsFor`). */
export async function tellThese(
  tx: Transaction,
  tenantId: string,
  channelIds: readonly string[],
  report: { event: NotificationEvent; subjectId: string; facts: JsonObject },
): Promise<void> {
  for (const channelId of channelIds) await queueDelivery(tx, tenantId, { channelId, ...report })
}

export async function queueDelivery(
  tx: Transaction,
  tenantId: string,
  delivery: { channelId: string; event: string; subjectId: string; facts: JsonObject },
): Promise<string> {
  const id = newId()
  await insertDelivery(tx, { tenantId, id, ...delivery })
  await runtime().queue.enqueue(tx, notificationQueue, { tenantId, id })
  return id
}
