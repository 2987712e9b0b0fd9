import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/closing.ts'

export const adoptionEndedAction = 'state.adoption_ended'
/** The end for types that a later version binds, of a tenant whose adoption had ended before. */
export const laterAdoptionEndedAction = 'state.later_adoption_ended'

// Owned by this module: names in leaves of the log, which never change.
const externalIds = new Map<string, string>()
const mostExternalIds = 10_000

/** The tenant's name in leaves of the log. */
export async function findExternalId(tx: Transaction, tenantId: string): Promise<string> {
  const known = externalIds.get(tenantId)
  if (known !== undefined) return known
  const row = await tx.selectFrom('tenants').select('externalId').where('id', '=', tenantId).executeTakeFirstOrThrow()
  if (externalIds.size < mostExternalIds) externalIds.set(tenantId, row.externalId)
  return row.externalId
}

export const findAdoption = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('boundAdoptions')
    .select(['auditId', 'endedAt', 'mac'])
    .where('tenantId', '=', tenantId)
    .executeTakeFirst()

/** Whether the log contains the end of an adoption: its row can't be deleted unnoticed. */
export const isAdoptionLogged = async (tx: Transaction, tenantId: string): Promise<boolean> =>
  (await tx
    .selectFrom('auditRecords')
    .select('auditId')
    .where('tenantId', '=', tenantId)
    .where('type', '=', adoptionEndedAction)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** When all rows of the types that later versions bind were bound, according to the log; undefined before. */
export async function findLaterAdoption(
  tx: Transaction,
  tenantId: string,
  types: readonly string[],
): Promise<Date | undefined> {
  const row = await tx
    .selectFrom('auditRecords')
    .select('createdAt')
    .where('tenantId', '=', tenantId)
    .where('type', 'in', [adoptionEndedAction, laterAdoptionEndedAction])
    .where(sql<boolean>`record->'details'->'types' @> ${JSON.stringify(types)}::jsonb`)
    .orderBy('createdAt')
    .limit(1)
    .executeTakeFirst()
  return row?.createdAt
}

export async function insertAdoption(
  tx: Transaction,
  row: { tenantId: string; auditId: string; endedAt: Date; mac: Buffer },
): Promise<void> {
  await tx.insertInto('boundAdoptions').values(row).execute()
}

export async function setLease(
  tx: Transaction,
  { tenantId, validUntil, mac }: { tenantId: string; validUntil: Date; mac: Buffer },
): Promise<void> {
  await tx
    .insertInto('boundAdoptionLeases')
    .values({ tenantId, validUntil, mac })
    .onConflict((conflict) => conflict.column('tenantId').doUpdateSet({ validUntil, mac }))
    .execute()
}

export const findLease = (tx: Transaction, tenantId: string) =>
  tx.selectFrom('boundAdoptionLeases').select(['validUntil', 'mac']).where('tenantId', '=', tenantId).executeTakeFirst()

/** Only one process binds a tenant's older rows. False if another one does, until this transaction ends. */
export async function lockAdoption(tx: Transaction, tenantId: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('bound adoption ' || ${tenantId}, 0)) as locked`.execute(tx)
  return rows[0]?.locked === true
}
