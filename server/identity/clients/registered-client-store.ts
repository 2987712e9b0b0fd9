import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'

/** One at a time in each tenant, until the transaction ends: a registration counts those before it. */
export async function lockRegistrations(tx: Transaction, tenantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`client registrations\n${tenantId}`}, 0))`.execute(tx)
}

/** How many clients registered in the last hour, and in how many seconds the first of them is an hour old. */
export async function registrationsInHour(
  tx: Transaction,
  tenantId: string,
): Promise<{ count: number; seconds: number }> {
  const { count, seconds } = await tx
    .selectFrom('registeredClients')
    .select((select) => [
      select.fn.countAll<number>().as('count'),
      sql<number>`coalesce(ceil(extract(epoch from min(registered_at) + interval '1 hour' - now())), 0)::integer`.as(
        'seconds',
      ),
    ])
    .where('tenantId', '=', tenantId)
    .where('registeredAt', '>', sql<Date>`now() - interval '1 hour'`)
    .executeTakeFirstOrThrow()
  return { count: Number(count), seconds: Math.max(seconds, 1) }
}

type Registered = { tenantId: string; clientId: string; name: string | null; redirectUris: string[]; renews: boolean }

/** Returns when the client was registered. */
export async function insertRegisteredClient(tx: Transaction, row: Registered): Promise<Date> {
  const { registeredAt } = await tx
    .insertInto('registeredClients')
    .values({ ...row, redirectUris: json(row.redirectUris) })
    .returning('registeredAt')
    .executeTakeFirstOrThrow()
  return registeredAt
}

/** When a client counts as unused. */
const unusedSince = sql<Date>`now() - interval '30 days'`

/** The client, unless it was not used for 30 days. */
export const findRegisteredClient = (tx: Transaction, tenantId: string, clientId: string) =>
  tx
    .selectFrom('registeredClients')
    .select(['clientId', 'name', 'redirectUris', 'renews'])
    .where('tenantId', '=', tenantId)
    .where('clientId', '=', clientId)
    .where(sql<Date>`coalesce(used_at, registered_at)`, '>', unusedSince)
    .executeTakeFirst()

/** How registered clients name themselves, by their ids. */
export async function findClientNames(
  tx: Transaction,
  tenantId: string,
  clientIds: readonly string[],
): Promise<Map<string, string | null>> {
  if (clientIds.length === 0) return new Map()
  const rows = await tx
    .selectFrom('registeredClients')
    .select(['clientId', 'name'])
    .where('tenantId', '=', tenantId)
    .where('clientId', 'in', [...clientIds])
    .execute()
  return new Map(rows.map(({ clientId, name }) => [clientId, name]))
}

/** Notes that a client gets a token, to the hour. */
export async function setClientUse(tx: Transaction, tenantId: string, clientId: string): Promise<void> {
  await tx
    .updateTable('registeredClients')
    .set({ usedAt: sql<Date>`now()` })
    .where('tenantId', '=', tenantId)
    .where('clientId', '=', clientId)
    .where((where) =>
      where.or([where('usedAt', 'is', null), where('usedAt', '<', sql<Date>`now() - interval '1 hour'`)]),
    )
    .execute()
}

export async function deleteUnusedClients(tx: Transaction, tenantId: string): Promise<void> {
  await tx
    .deleteFrom('registeredClients')
    .where('tenantId', '=', tenantId)
    .where(sql<Date>`coalesce(used_at, registered_at)`, '<=', unusedSince)
    .execute()
}
