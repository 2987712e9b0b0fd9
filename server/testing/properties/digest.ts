import { createHash } from 'node:crypto'
import { type Client, escapeIdentifier } from 'pg'

/**
 * Rows that the server changes without a call: issued tokens, the sealer's signatures, the leases of workers, and when a machine was last used,
 * which is recorded after its call.
 */
const changedByItself = new Set([
  'realm_artifacts',
  'audit_days',
  'audit_checkpoints',
  'audit_trees',
  'audit_tiles',
  'audit_seals',
  'audit_seal_checkpoints',
  'bound_adoption_leases',
  'connection_token_uses',
  'machine_uses',
])

/** Returns a digest of a tenant's rows for each table, read without row-level security. A refused call must not change it. */
export async function tenantDigest(owner: Client, tenantId: string): Promise<Record<string, string>> {
  const { rows: tables } = await owner.query<{ name: string }>(
    `select c.table_name as name from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and c.column_name = 'tenant_id' and t.table_type = 'BASE TABLE' order by 1`,
  )
  const digests: Record<string, string> = {}
  for (const { name } of tables.filter((table) => !changedByItself.has(table.name))) {
    const { rows } = await owner.query<{ row: string }>(
      `select t::text as row from ${escapeIdentifier(name)} t where tenant_id = $1 order by 1`,
      [tenantId],
    )
    const hash = createHash('sha256')
    for (const { row } of rows) hash.update(row).update('\n')
    digests[name] = `${rows.length} rows ${hash.digest('hex')}`
  }
  return digests
}
