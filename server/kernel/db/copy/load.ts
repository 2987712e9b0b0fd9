import type { Client } from 'pg'
import { applyMigrations, migrateQueue, migrationLock } from '../migrate.ts'
import { makePartitions } from '../partitions.ts'
import type { Chunk, DatabaseShape } from './dump.ts'
import { type CopiedTable, listCopiedTables, quoted, textSettings } from './table-list.ts'

/** The database can't receive the rows; the message is one line for the operator. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused'
}

/**
 * Creates the tables as they were when the rows were read, then inserts all rows in one transaction: an interruption leaves no row.
 * `client` is the owner's, who may but need not be a superuser. No server can start in the meantime. Rows that the database has
 * are removed: call it for a database that `isEmpty` or that an interrupted restore has filled. Throws CopyRefused.
 */
export async function loadDatabase(
  client: Client,
  ownerUrl: string,
  shape: DatabaseShape,
  chunks: AsyncIterable<Chunk>,
): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [migrationLock])
  await prepare(client, ownerUrl, shape)
  await client.query('begin')
  await client.query(textSettings)
  const tables = await listCopiedTables(client)
  const { drop, create } = await foreignKeys(client)
  const names = tables.map(({ name }) => quoted(client, name))
  for (const statement of drop) await client.query(statement)
  for (const name of names) await client.query(`alter table ${name} disable trigger user`)
  await client.query(`truncate ${names.join(', ')}`)
  const byName = new Map(tables.map((table) => [table.name, table]))
  for await (const chunk of chunks) await insert(client, byName.get(chunk.table), chunk)
  for (const { name, lastValue } of shape.sequences)
    if (lastValue !== null) await client.query('select setval($1::regclass, $2::bigint)', [name, lastValue])
  // Without a tenant: row-level security would compare one tenant's rows with all. A superuser checks all of them.
  await client.query(`select set_config('app.tenant_id', '', true)`)
  for (const name of names) await client.query(`alter table ${name} enable trigger user`)
  for (const statement of create) await client.query(statement)
  await client.query('commit')
  await client.query('select pg_advisory_unlock($1)', [migrationLock])
}

/** Whether the database contains neither tables of this application nor others. */
export async function isEmpty(client: Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm') limit 1`,
  )
  return rowCount === 0
}

async function prepare(client: Client, ownerUrl: string, shape: DatabaseShape): Promise<void> {
  const last = shape.migrations.at(-1)?.name
  await applyMigrations(client, last)
  const { rows } = await client.query('select name, sha256 from public.schema_migrations order by name')
  if (JSON.stringify(rows) !== JSON.stringify(shape.migrations))
    throw new CopyRefused(
      `The backup’s database has the migrations up to ${last}, which this version does not have in the same form. Restore it with the version that made it, then upgrade.`,
    )
  for (const day of shape.partitions) await makePartitions(client, day, 0)
  await migrateQueue(ownerUrl)
  const { rows: queue } = await client.query<{ version: number }>('select version from pgboss.version')
  if (queue[0]?.version !== shape.queueVersion)
    throw new CopyRefused(
      `The backup’s queue has version ${shape.queueVersion}; this version of Countersign creates ${queue[0]?.version}. Restore it with the version that made it, then upgrade.`,
    )
}

/** Statements that remove the foreign keys, and that create them again, which checks every row. */
async function foreignKeys(client: Client): Promise<{ drop: string[]; create: string[] }> {
  const { rows } = await client.query<{ drop: string; create: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
       format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
     from pg_constraint
     where contype = 'f' and conparentid = 0 and connamespace in ('public'::regnamespace, 'pgboss'::regnamespace)
     order by 1`,
  )
  return { drop: rows.map((row) => row.drop), create: rows.map((row) => row.create) }
}

async function insert(client: Client, table: CopiedTable | undefined, chunk: Chunk): Promise<void> {
  if (table === undefined) throw new CopyRefused(`The backup has rows of ${chunk.table}, an unknown table.`)
  const typeOf = new Map(table.columns.map(({ name, type }) => [name, type]))
  const values = chunk.columns.map((name, index) => {
    const type = typeOf.get(name)
    if (type === undefined)
      throw new CopyRefused(`The backup has rows of ${chunk.table} with ${name}, an unknown column.`)
    return `(r->>${index})::${type}`
  })
  // Row-level security also checks what the owner inserts.
  await client.query(`select set_config('app.tenant_id', $1, true)`, [chunk.tenantId ?? ''])
  await client.query(
    `insert into ${quoted(client, table.name)} (${chunk.columns.map((name) => client.escapeIdentifier(name)).join(', ')})
     overriding system value select ${values.join(', ')} from json_array_elements($1::json) r`,
    [JSON.stringify(chunk.rows)],
  )
}
