import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/closing.ts'

export type LoggedDay = { date: string; size: number; closed: boolean }

/** The days of the log, the latest first. */
export const listLoggedDays = async (tx: Transaction, tenantId: string): Promise<LoggedDay[]> =>
  await tx
    .selectFrom('auditDays')
    .select(['date', 'size', sql<boolean>`sealed_at is not null`.as('closed')])
    .where('tenantId', '=', tenantId)
    .orderBy('date', 'desc')
    .execute()

/** Records [from, to) of a day. */
type Slice = { date: string; from: number; to: number }

/** The objects that the records commit to: their ids by type. */
export async function listObjects(
  tx: Transaction,
  tenantId: string,
  { date, from, to }: Slice,
): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ type: string; id: string }>`
    select distinct state->>'type' as type, state->>'id' as id
    from audit_records record
    cross join jsonb_array_elements(record.record->'states') as state
    where record.tenant_id = ${tenantId} and record.date = ${date} and record.seq >= ${from} and record.seq < ${to}
      and jsonb_typeof(record.record->'states') = 'array'`.execute(tx)
  const byType = new Map<string, string[]>()
  for (const { type, id } of rows) byType.get(type)?.push(id) ?? byType.set(type, [id])
  return byType
}

/**
 * Objects whose stored state contradicts the records [from, to) of a day: it is missing, older than a record's, or another one
 * at the same revision. A row that was replayed together with its state differs only from the log.
 */
export const listUnlike = async (
  tx: Transaction,
  tenantId: string,
  { date, from, to }: Slice,
): Promise<{ type: string; id: string; revision: number }[]> => {
  const { rows } = await sql<{ type: string; id: string; revision: number }>`
    select state->>'type' as type, state->>'id' as id, (state->>'revision')::integer as revision
    from audit_records record
    cross join jsonb_array_elements(record.record->'states') as state
    left join bound_states bound on bound.tenant_id = record.tenant_id and bound.type = state->>'type'
      and bound.id = state->>'id'
    where record.tenant_id = ${tenantId} and record.date = ${date} and record.seq >= ${from} and record.seq < ${to}
      and jsonb_typeof(record.record->'states') = 'array'
      and (bound.type is null or bound.revision < (state->>'revision')::integer
        or (bound.revision = (state->>'revision')::integer
          and (('sha256:' || encode(bound.digest, 'hex')) is distinct from state->>'digest' or bound.audit_id <> record.audit_id)))
    limit 1000`.execute(tx)
  return rows
}
