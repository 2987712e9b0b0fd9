import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { StoredAttribute, StoredEvent, StoredLink } from '#server/traces/attributes.ts'

/** A position in the order of the keys, as text: day, trace, span. */
const separator = ' '

/** Locked until commit. `held`: a legal hold covers it. */
export async function listForErasure(
  tx: Transaction,
  tenantId: string,
  { after, traceIds, limit }: { after: string; traceIds: readonly string[] | undefined; limit: number },
) {
  const [day = '0001-01-01', traceId = '', spanId = ''] = after === '' ? [] : after.split(separator)
  const { rows } = await sql<{
    day: string
    traceId: string
    spanId: string
    attributes: unknown
    events: unknown
    links: unknown
    auditId: string | null
    resourceIndex: number | null
    sealed: Buffer[] | null
    held: boolean
  }>`
    select s.day::text as day, s.trace_id, s.span_id, s.attributes, s.events, s.links, s.audit_id,
      s.resource_index, s.sealed, exists (
      select 1 from legal_holds h where h.tenant_id = ${tenantId} and h.released_at is null
        and (h.trace_id = s.trace_id or s.day between h.from_day and h.to_day)) as held
    from spans s
    where s.tenant_id = ${tenantId} and (s.day, s.trace_id, s.span_id) > (${day}::date, ${traceId}, ${spanId})
      ${traceIds === undefined ? sql`` : sql`and s.trace_id = any(${[...traceIds]}::text[])`}
    order by s.day, s.trace_id, s.span_id limit ${limit}
    for update of s`.execute(tx)
  return rows.map((row) => ({ ...row, place: [row.day, row.traceId, row.spanId].join(separator) }))
}

/** The fingerprint is deleted with the values, because a guess could otherwise be checked against it. */
export async function setErased(
  tx: Transaction,
  row: {
    tenantId: string
    day: string
    traceId: string
    spanId: string
    attributes: readonly StoredAttribute[]
    events: readonly StoredEvent[]
    links: readonly StoredLink[]
    sealed: Buffer | null
  },
): Promise<void> {
  await sql`
    update spans set attributes = ${JSON.stringify(row.attributes)}::jsonb, events = ${JSON.stringify(row.events)}::jsonb,
      links = ${JSON.stringify(row.links)}::jsonb,
      sealed = case when ${row.sealed}::bytea is null then null else array[${row.sealed}::bytea] end, fingerprint = null
    where tenant_id = ${row.tenantId} and day = ${row.day}::date and trace_id = ${row.traceId}
      and span_id = ${row.spanId}`.execute(tx)
}

/** Returns the batches that no hold covers, by the batch's day or by a trace with spans of it. Locks them until commit. */
export async function listResourcesForErasure(tx: Transaction, tenantId: string, auditIds: readonly string[]) {
  if (auditIds.length === 0) return []
  const { rows } = await sql<{ auditId: string; index: number; attributes: unknown; sealed: Buffer | null }>`
    select r.audit_id, r.resource_index as index, r.attributes, r.sealed
    from batch_resources r
    where r.tenant_id = ${tenantId} and r.audit_id = any(${auditIds}::uuid[]) and not exists (
      select 1 from legal_holds h where h.tenant_id = ${tenantId} and h.released_at is null
        and (r.day between h.from_day and h.to_day or exists (
          select 1 from traces t join spans s on s.tenant_id = t.tenant_id and s.day = t.day and s.trace_id = t.trace_id
          where t.tenant_id = ${tenantId} and t.trace_id = h.trace_id and s.audit_id = r.audit_id
            and s.resource_index = r.resource_index)))
    order by r.audit_id, r.resource_index
    for update of r`.execute(tx)
  return rows
}

export async function setResourceErased(
  tx: Transaction,
  row: {
    tenantId: string
    auditId: string
    index: number
    attributes: readonly StoredAttribute[]
    sealed: Buffer | null
  },
): Promise<void> {
  await sql`
    update batch_resources set attributes = ${JSON.stringify(row.attributes)}::jsonb, sealed = ${row.sealed}::bytea
    where tenant_id = ${row.tenantId} and audit_id = ${row.auditId} and resource_index = ${row.index}`.execute(tx)
}
