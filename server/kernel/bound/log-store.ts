import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/transaction.ts'

export const listLoggedDays = async (tx: Transaction, tenantId: string): Promise<{ date: string; size: number }[]> =>
  await tx
    .selectFrom('auditDays')
    .select(['date', 'size'])
    .where('tenantId', '=', tenantId)
    .orderBy('date', 'desc')
    .execute()

/**
 * Objects whose stored state contradicts the records [from, to) of a day: it is missing, older than a record's, or another one
 * at the same revision. A row that was replayed together with its state differs only from the log.
 */
export const listUnlike = async (
  tx: Transaction,
  tenantId: string,
  { date, from, to }: { date: string; from: number; to: number },
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
