import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'

/**
 * `notAfter`, or `seconds` from now; never in the past, by the clock of the database, which also decides when secrets
 * expire.
 */
export async function findEnd(tx: Transaction, notAfter: Date | undefined, seconds: number): Promise<Date> {
  const { rows } = await sql<{ end: Date }>`select greatest(now(), coalesce(${notAfter ?? null}::timestamptz,
    now() + make_interval(secs => ${seconds}))) as end`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('unreachable: a select without a table has one row')
  return row.end
}

/** Sets this end for the secrets that are live now, or keeps an earlier end: an end is never postponed. */
export async function endSecrets(tx: Transaction, tenantId: string, clientId: string, end: Date): Promise<void> {
  await tx
    .updateTable('realmClientSecrets')
    .set({ notAfter: sql<Date>`least(not_after, ${end}::timestamptz)` })
    .where('tenantId', '=', tenantId)
    .where('clientId', '=', clientId)
    .where((where) => where.or([where('notAfter', 'is', null), where('notAfter', '>', sql<Date>`now()`)]))
    .execute()
}

/** Live secrets of these clients, oldest first, without their digests. */
export const findSecrets = (tx: Transaction, tenantId: string, clientIds: readonly string[]) =>
  tx
    .selectFrom('realmClientSecrets')
    .select(['clientId', 'id', 'createdAt', 'notAfter'])
    .where('tenantId', '=', tenantId)
    .where('clientId', 'in', [...clientIds])
    .where((where) => where.or([where('notAfter', 'is', null), where('notAfter', '>', sql<Date>`now()`)]))
    .orderBy('id')
    .execute()

/** Clients of any kind, including disabled ones. */
export const findClients = (tx: Transaction, tenantId: string, clientIds: readonly string[]) =>
  tx
    .selectFrom('realmClients')
    .select(['clientId', 'kind', 'disabledAt'])
    .where('tenantId', '=', tenantId)
    .where('clientId', 'in', [...clientIds])
    .execute()

export async function setClientDisabled(
  tx: Transaction,
  tenantId: string,
  clientId: string,
  disabled: boolean,
): Promise<void> {
  await tx
    .updateTable('realmClients')
    .set({ disabledAt: disabled ? sql<Date>`now()` : null })
    .where('tenantId', '=', tenantId)
    .where('clientId', '=', clientId)
    .where('kind', '=', 'service')
    .execute()
}
