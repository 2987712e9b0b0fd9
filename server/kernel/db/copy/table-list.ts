import type { Client } from 'pg'

/** A table whose rows a backup contains: `public.tenants`. Generated columns are left out, because they follow from the others. */
export type CopiedTable = {
  name: string
  columns: readonly { name: string; type: string }[]
  /** Row-level security limits the table's rows to those with the tenant in this column; null if it is not limited. */
  tenantColumn: string | null
}

/** Tables that the migrations and the queue's library fill themselves. */
const own = ['public.schema_migrations', 'pgboss.version']

/** Returns the tables of the application and of its queue. Rows of partitions are read and written through the partitioned table. */
export async function listCopiedTables(client: Client): Promise<CopiedTable[]> {
  const { rows } = await client.query<{ name: string; columns: { name: string; type: string }[] }>(
    `select n.nspname || '.' || c.relname as name,
       json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
     where n.nspname in ('public', 'pgboss') and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     group by 1 order by 1`,
  )
  return rows
    .filter(({ name }) => !own.includes(name))
    .map((table) => ({ ...table, tenantColumn: tenantColumnOf(table) }))
}

function tenantColumnOf({ name, columns }: Pick<CopiedTable, 'name' | 'columns'>): string | null {
  if (name === 'public.tenants') return 'id'
  return name.startsWith('public.') && columns.some((column) => column.name === 'tenant_id') ? 'tenant_id' : null
}

/** `"public"."tenants"` */
export const quoted = (client: Client, name: string): string =>
  name
    .split('.')
    .map((part) => client.escapeIdentifier(part))
    .join('.')

/** Settings under which a value's text is the same on every server, and is read back as the same value. */
export const textSettings = `set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local timezone = 'UTC';
  set local bytea_output = 'hex'; set local extra_float_digits = 1; set local idle_in_transaction_session_timeout = 0;
  set local statement_timeout = 0`
