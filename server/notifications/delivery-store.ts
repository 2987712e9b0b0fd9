import { sql } from 'kysely'
import type { JsonObject } from '#lib/json.ts'
import type { Delivery } from '#lib/schemas/mail.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'
import { notify } from '#server/kernel/db/notify.ts'

const columns = [
  'id',
  'channelId',
  'event',
  'subjectId',
  'facts',
  'createdAt',
  'delivery',
  'attempts',
  'error',
  'triedSince',
  'triedBefore',
  'settledAt',
  'revision',
] as const

export type DeliveryRow = NonNullable<Awaited<ReturnType<typeof findDelivery>>>

export async function insertDelivery(
  tx: Transaction,
  row: { tenantId: string; id: string; channelId: string; event: string; subjectId: string; facts: JsonObject },
): Promise<void> {
  await tx
    .insertInto('notificationDeliveries')
    .values({ ...row, facts: json(row.facts) })
    .execute()
  notify(tx, 'notification', row.tenantId)
}

export const findDelivery = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('notificationDeliveries')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Newest first. */
export function listDeliveryRows(
  tx: Transaction,
  tenantId: string,
  filter: { channelId: string | undefined; delivery: Delivery | undefined; limit: number; cursor: string | undefined },
) {
  let query = tx.selectFrom('notificationDeliveries').select(columns).where('tenantId', '=', tenantId)
  if (filter.channelId !== undefined) query = query.where('channelId', '=', filter.channelId)
  if (filter.delivery !== undefined) query = query.where('delivery', '=', filter.delivery)
  if (filter.cursor !== undefined) query = query.where('id', '<', filter.cursor)
  return query.orderBy('id', 'desc').limit(filter.limit).execute()
}

/** Why a delivery is not sent, whatever its address would answer. */
export const unsendable = { gone: 'What it reports is no longer stored.', disabled: 'The channel is disabled.' }

/** For each channel: what was tried and not delivered since the last delivery that was. Channels that deliver are left out. */
export async function listFailing(tx: Transaction, tenantId: string, channelIds: readonly string[]) {
  const { rows } = await sql<{ channelId: string; since: Date; messages: number; error: string | null }>`
    select d.channel_id, min(d.created_at) as since, count(*)::int as messages,
      (array_agg(d.error order by d.id desc) filter (where d.error is not null))[1] as error
    from notification_deliveries d
    where d.tenant_id = ${tenantId} and d.channel_id = any(${[...channelIds]}::uuid[])
      and d.delivery <> 'delivered' and d.attempts > 0
      -- Its first attempt may still succeed.
      and not (d.delivery = 'in_flight' and d.attempts = d.tried_before + 1)
      and (d.error is null or d.error <> all(${Object.values(unsendable)}::text[]))
      and coalesce(d.settled_at, clock_timestamp()) > coalesce((select max(o.settled_at) from notification_deliveries o
        where o.tenant_id = d.tenant_id and o.channel_id = d.channel_id and o.delivery = 'delivered'), '-infinity')
    group by d.channel_id`.execute(tx)
  return new Map(rows.map(({ channelId, ...row }) => [channelId, row]))
}

/** pending → in_flight, once. Undefined if it is not pending. */
export function setInFlight(tx: Transaction, tenantId: string, id: string) {
  notify(tx, 'notification', tenantId)
  return tx
    .updateTable('notificationDeliveries')
    .set((e) => ({
      delivery: 'in_flight',
      attempts: e('attempts', '+', 1),
      error: null,
      revision: e('revision', '+', 1),
    }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('delivery', '=', 'pending')
    .returning(columns)
    .executeTakeFirst()
}

/** in_flight → its outcome, only for the attempt that was made. */
export async function setOutcome(
  tx: Transaction,
  tenantId: string,
  { id, attempts }: { id: string; attempts: number },
  { delivery, error }: { delivery: Delivery; error: string | null },
): Promise<boolean> {
  notify(tx, 'notification', tenantId)
  const result = await tx
    .updateTable('notificationDeliveries')
    .set((e) => ({
      delivery,
      error,
      settledAt: delivery === 'pending' ? null : sql<Date>`clock_timestamp()`,
      revision: e('revision', '+', 1),
    }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('delivery', '=', 'in_flight')
    .where('attempts', '=', attempts)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** failed or unknown → pending, at this revision, for another day. */
export async function setAgain(tx: Transaction, tenantId: string, id: string, revision: number): Promise<boolean> {
  notify(tx, 'notification', tenantId)
  const result = await tx
    .updateTable('notificationDeliveries')
    .set((e) => ({
      delivery: 'pending',
      error: null,
      settledAt: null,
      triedSince: sql<Date>`clock_timestamp()`,
      triedBefore: e.ref('attempts'),
      revision: e('revision', '+', 1),
    }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('delivery', 'in', ['failed', 'unknown'])
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Removes what was settled more than 30 days ago. */
export async function deleteSettled(tx: Transaction, tenantId: string): Promise<void> {
  await tx
    .deleteFrom('notificationDeliveries')
    .where('tenantId', '=', tenantId)
    .where('settledAt', '<', sql<Date>`clock_timestamp() - interval '30 days'`)
    .execute()
}
