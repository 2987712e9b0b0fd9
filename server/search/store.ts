import { sql } from 'kysely'
import type { FoundKind } from '#lib/schemas/lists/search.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

/** The kinds of objects of this tenant that have this UUID: one statement instead of one for each kind. */
export async function kindsOfId(tx: Transaction, tenantId: string, id: string): Promise<Set<FoundKind>> {
  const { rows } = await sql<{ kind: FoundKind }>`
    select 'approval' as kind where exists (select from approvals where tenant_id = ${tenantId} and id = ${id})
    union all select 'execution' where exists (select from executions where tenant_id = ${tenantId} and id = ${id})
    union all select 'agent' where exists (select from agents where tenant_id = ${tenantId} and id = ${id})
    union all select 'policy' where exists (select from policies where tenant_id = ${tenantId} and id = ${id})
    union all select 'export' where exists (select from evidence_exports where tenant_id = ${tenantId} and id = ${id})
    union all select 'record' where exists (select from audit_records where tenant_id = ${tenantId} and audit_id = ${id})`.execute(
    tx,
  )
  return new Set(rows.map(({ kind }) => kind))
}
