import type { Client } from 'pg'

// The tables as the database describes them, so that a new table or column is part of the matrix.

export type Column = { name: string; type: string; nullable: boolean; generated: boolean; key: boolean }
export type Table = { name: string; columns: Column[] }

/** Every table of the application, with its columns. */
export async function readTables(owner: Client): Promise<Table[]> {
  const { rows } = await owner.query<Column & { table: string }>(
    `select c.table_name as "table", c.column_name as name, c.udt_name as type, c.is_nullable = 'YES' as nullable,
       c.is_generated = 'ALWAYS' as generated, exists (
         select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
         where i.indrelid = format('public.%I', c.table_name)::regclass and i.indisprimary and a.attname = c.column_name
       ) as key
     from information_schema.columns c
     join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
     join pg_class k on k.oid = format('public.%I', c.table_name)::regclass
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and not k.relispartition
     order by c.table_name, c.ordinal_position`,
  )
  const tables = new Map<string, Table>()
  for (const { table, ...column } of rows) {
    const known = tables.get(table) ?? { name: table, columns: [] }
    known.columns.push(column)
    tables.set(table, known)
  }
  return [...tables.values()]
}

/** Drops what keeps a copied row out, as the owner may, except for the primary keys. */
export async function dropUniqueIndexes(owner: Client, tables: readonly string[]): Promise<void> {
  const { rows } = await owner.query<{ statement: string }>(
    `select coalesce(
       (select format('alter table %s drop constraint %I cascade', c.conrelid::regclass, c.conname)
        from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('u', 'x')),
       format('drop index %s cascade', i.indexrelid::regclass)) as statement
     from pg_index i join pg_class t on t.oid = i.indrelid
     where t.relnamespace = 'public'::regnamespace and t.relname = any($1) and i.indisunique and not i.indisprimary`,
    [tables],
  )
  for (const { statement } of rows) await owner.query(statement)
}

/** Another value of the column's type, as SQL. Every value changes, also null. Undefined for a type without a rule. */
export function otherValue({ name, type }: Column): string | undefined {
  const other = otherOf(name, type)
  return other && `coalesce(${other[0]}, ${other[1]})`
}

function otherOf(name: string, type: string): readonly [changed: string, instead: string] | undefined {
  if (type.startsWith('_')) {
    const [, element] = otherOf(name, type.slice(1)) ?? []
    if (element === undefined) return undefined
    const other = `array[${element}]::${type}`
    return [`case when cardinality(${name}) = 0 then ${other} else ${name} || ${name}[1:1] end`, other]
  }
  switch (type) {
    case 'text':
    case 'varchar':
      return [`${name} || 'x'`, `'x'`]
    case 'bytea':
      return [
        `case when length(${name}) = 0 then '\\x00'::bytea else set_byte(${name}, length(${name}) - 1, 255 - get_byte(${name}, length(${name}) - 1)) end`,
        `'\\x00'::bytea`,
      ]
    case 'int2':
    case 'int4':
    case 'int8':
    case 'numeric':
    case 'float8':
      return [`${name} + 1000`, '1000']
    case 'timestamptz':
      return [`${name} - interval '1 day'`, `now() - interval '1 day'`]
    case 'date':
      return [`${name} - 1000`, 'current_date - 1000']
    case 'uuid':
      return ['gen_random_uuid()', 'gen_random_uuid()']
    case 'bool':
      return [`not ${name}`, 'true']
    case 'jsonb':
      return [
        `case jsonb_typeof(${name}) when 'object' then ${name} || '{"forged": true}' else jsonb_build_array(${name}) end`,
        `'{"forged": true}'`,
      ]
    default:
      return undefined
  }
}

/**
 * Keeps the rows of a tenant in some tables, to put them back after a change. The owner's triggers don't run, so that neither
 * foreign keys nor the notes of changed rows stop the owner, who could drop them.
 */
export async function keeping<T>(
  owner: Client,
  tables: readonly Table[],
  tenants: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const where = 'tenant_id = any($1)'
  for (const { name } of tables) {
    await owner.query(`create temporary table kept_${name} as select * from ${name} where false`)
    await owner.query(`insert into kept_${name} select * from ${name} where ${where}`, [tenants])
  }
  try {
    return await work()
  } finally {
    await owner.query('begin')
    await owner.query('set local session_replication_role = replica')
    for (const { name, columns } of tables) {
      const list = columns.flatMap((column) => (column.generated ? [] : [column.name])).join(', ')
      const same = '(select k::text from kept_NAME k)'.replace('NAME', name)
      await owner.query(`delete from ${name} t where ${where} and t::text not in ${same}`, [tenants])
      await owner.query(
        `insert into ${name} (${list}) select ${list} from kept_${name} k
         where k::text not in (select t::text from ${name} t where ${where})`,
        [tenants],
      )
      await owner.query(`drop table kept_${name}`)
    }
    await owner.query('commit')
  }
}

/** Runs statements as the owner with all triggers silenced. Returns the number of rows that they changed. */
export async function asOwnerWithoutTriggers(
  owner: Client,
  statements: readonly (readonly [text: string, values: readonly unknown[]])[],
): Promise<number> {
  let changed = 0
  await owner.query('begin')
  try {
    await owner.query('set local session_replication_role = replica')
    for (const [text, values] of statements) changed += (await owner.query(text, [...values])).rowCount ?? 0
    await owner.query('commit')
  } catch (error) {
    await owner.query('rollback')
    throw error
  }
  return changed
}
