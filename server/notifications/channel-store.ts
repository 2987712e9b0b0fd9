import { sql } from 'kysely'
import type { NotificationEvent } from '#lib/schemas/notifications/channels.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'

const columns = [
  'id',
  'kind',
  'name',
  'events',
  'endpoint',
  'host',
  'status',
  'disabledReason',
  'createdBy',
  'createdAt',
  'revision',
] as const

export type ChannelRow = NonNullable<Awaited<ReturnType<typeof findChannel>>>

/** False if the name is taken. */
export async function insertChannel(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    kind: string
    name: string
    events: string[]
    endpoint: Buffer
    host: string
    createdBy: string
  },
): Promise<boolean> {
  const { events, ...values } = row
  const result = await tx
    .insertInto('notificationChannels')
    .values({ ...values, events: json(events) })
    .onConflict((conflict) => conflict.columns(['tenantId', 'name']).doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export const findChannel = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('notificationChannels')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()

export const listChannelRows = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('notificationChannels')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .orderBy('name')
    .limit(mostChannels)
    .execute()

export const mostChannels = 50

/** The active channels that report this event. */
export const findChannelsFor = (tx: Transaction, tenantId: string, event: NotificationEvent) =>
  readChannelsFor(tx, tenantId, event).execute()

/** The same as part of a larger statement. */
export const readChannelsFor = (tx: Transaction, tenantId: string, event: NotificationEvent) =>
  tx
    .selectFrom('notificationChannels')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('status', '=', 'active')
    .where(sql<boolean>`events @> to_jsonb(${event}::text)`)
    .limit(mostChannels)

/** False if the channel has another revision. */
export async function setChannel(
  tx: Transaction,
  tenantId: string,
  { id, revision, name, events, endpoint, host, status, disabledReason }: ChannelRow,
): Promise<boolean> {
  const result = await tx
    .updateTable('notificationChannels')
    .set({
      name,
      events: json(events as string[]),
      endpoint,
      host,
      status,
      disabledReason,
      revision: revision + 1,
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('revision', '=', revision)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

export async function deleteChannel(tx: Transaction, tenantId: string, id: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('notificationChannels')
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
  return result.numDeletedRows === 1n
}
