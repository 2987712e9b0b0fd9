import { CompiledQuery, sql } from 'kysely'
import type { JsonObject } from '#lib/json.ts'
import type { Delivery } from '#lib/schemas/mail.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { failingText, failingValues } from './failing-text.ts'

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

/** Which channels fail, by their ids (failing-text.ts). */
export async function listFailing(tx: Transaction, tenantId: string, channelIds: readonly string[]) {
  const { rows } = await tx.executeQuery<Failing>(CompiledQuery.raw(failingText, failingValues(tenantId, channelIds)))
  return new Map(rows.map(({ channelId, ...row }) => [channelId, row]))
}

type Failing = { channelId: string; since: Date; messages: number; error: string | null }

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
