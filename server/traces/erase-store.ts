import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { StoredAttribute, StoredEvent } from './attributes.ts'

/** A place in the order of the keys, as text: day, trace, span. */
const separator = ' '

/** Locked until commit. `held`: a legal hold covers it. */
export async function listForErasure(tx: Transaction, tenantId: string, after: string, limit: number) {
  const [day = '0001-01-01', traceId = '', spanId = ''] = after === '' ? [] : after.split(separator)
  const { rows } = await sql<{
    day: string
    traceId: string
    spanId: string
    attributes: unknown
    events: unknown
    sealed: Buffer[] | null
    held: boolean
  }>`
    select s.day::text as day, s.trace_id, s.span_id, s.attributes, s.events, s.sealed, exists (
      select 1 from legal_holds h where h.tenant_id = ${tenantId} and h.released_at is null
        and (h.trace_id = s.trace_id or s.day between h.from_day and h.to_day)) as held
    from spans s
    where s.tenant_id = ${tenantId} and (s.day, s.trace_id, s.span_id) > (${day}::date, ${traceId}, ${spanId})
    order by s.day, s.trace_id, s.span_id limit ${limit}
    for update of s`.execute(tx)
  return rows.map((row) => ({ ...row, place: [row.day, row.traceId, row.spanId].join(separator) }))
}

/** The fingerprint goes with the values: nothing may be left that a guess could be checked against. */
export async function setErased(
  tx: Transaction,
  row: {
    tenantId: string
    day: string
    traceId: string
    spanId: string
    attributes: readonly StoredAttribute[]
    events: readonly StoredEvent[]
    sealed: Buffer | null
  },
): Promise<void> {
  await sql`
    update spans set attributes = ${JSON.stringify(row.attributes)}::jsonb, events = ${JSON.stringify(row.events)}::jsonb,
      sealed = case when ${row.sealed}::bytea is null then null else array[${row.sealed}::bytea] end, fingerprint = null
    where tenant_id = ${row.tenantId} and day = ${row.day}::date and trace_id = ${row.traceId}
      and span_id = ${row.spanId}`.execute(tx)
}
