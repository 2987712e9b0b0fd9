import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Client, escapeIdentifier, escapeLiteral } from 'pg'
import { getConstructionPlans } from 'pg-boss'
import { applyMigrations } from '#server/kernel/db/migrate.ts'
import { makePartitions, partitionDays } from '#server/kernel/db/partitions.ts'

/** A row is the text of the whole row, which PostgreSQL reads back exactly, whatever the types of its columns. */
type Table = { name: string; columns: string[]; rows: string[] }

/** A database of an earlier version with the demo in it, and its DATA_DIR. */
export type Fixture = {
  /** The last migration that had been applied. */
  migration: string
  /** SQL of the queue's library, which creates its tables as they were. */
  queue: string
  /** Days that had a partition of spans. */
  days: string[]
  tables: Table[]
  /** Files of DATA_DIR by path, in base64. */
  files: Record<string, string>
}

export const readFixture = async (path: string): Promise<Fixture> =>
  JSON.parse(gunzipSync(await readFile(path)).toString())

export const writeFixture = (path: string, fixture: Fixture): Promise<void> =>
  writeFile(path, gzipSync(JSON.stringify(fixture), { level: 9 }))

/** Reads a database that no server uses, as a superuser. */
export async function takeFixture(owner: Client, dataDir: string): Promise<Fixture> {
  const { rows: migrations } = await owner.query<{ last: string }>('select max(name) as last from schema_migrations')
  const { rows: found } = await owner.query<{ name: string; columns: string[] }>(
    `select format('%I.%I', n.nspname, c.relname) as name,
       array(select attname::text from pg_attribute
         where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', 'pgboss') and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> 'schema_migrations' order by name`,
  )
  const tables: Table[] = []
  for (const { name, columns } of found) {
    const { rows } = await owner.query<{ row: string }>(`select t::text as row from ${name} t`)
    if (rows.length > 0) tables.push({ name, columns, rows: rows.map(({ row }) => row) })
  }
  return {
    migration: migrations[0]?.last ?? '',
    queue: getConstructionPlans(),
    days: await partitionDays(owner),
    tables,
    files: await readFiles(dataDir),
  }
}

async function readFiles(dataDir: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files[path.slice(dataDir.length + 1)] = (await readFile(path)).toString('base64')
  }
  return files
}

/** Builds the schema of the fixture in an empty database, fills it as a superuser, and writes the files to `dataDir`. */
export async function loadFixture(owner: Client, fixture: Fixture, dataDir: string): Promise<void> {
  await applyMigrations(owner, fixture.migration)
  for (const day of fixture.days) await makePartitions(owner, day, 0)
  await owner.query(fixture.queue)
  await owner.query('begin')
  // Neither triggers nor foreign keys: the rows are complete, and come in no particular order.
  await owner.query('set local session_replication_role = replica')
  for (const { name, columns, rows } of fixture.tables) {
    const names = columns.map(escapeIdentifier)
    await owner.query(`delete from ${name}`)
    await owner.query(
      `insert into ${name} (${names.join(', ')}) overriding system value
       select ${names.map((column) => `(stored.whole).${column}`).join(', ')}
       from (select row::${name} as whole from unnest($1::text[]) as row offset 0) stored`,
      [rows],
    )
  }
  await owner.query('commit')
  for (const [path, content] of Object.entries(fixture.files)) {
    await mkdir(dirname(join(dataDir, path)), { recursive: true, mode: 0o700 })
    await writeFile(join(dataDir, path), Buffer.from(content, 'base64'), { mode: 0o600 })
  }
}

/** Requests for approval that stay open: the demo's expire after a week. */
export async function keepOpen(owner: Client, until = '2100-01-01T00:00:00Z'): Promise<void> {
  await owner.query(`update approvals set expires_at = ${escapeLiteral(until)} where status = 'pending'`)
}
