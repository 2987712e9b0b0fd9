import type { Client } from 'pg'
import { partitionDays } from '../partitions.ts'
import { type CopiedTable, listCopiedTables, quoted, textSettings } from './table-list.ts'

/** A part of a table's rows, each value as text. `tenantId`: all of them are this tenant's. */
export type Chunk = {
  table: string
  tenantId: string | null
  columns: readonly string[]
  rows: readonly (readonly (string | null)[])[]
}

/** What a database must have before the rows are copied into it. */
export type DatabaseShape = {
  migrations: readonly { name: string; sha256: string }[]
  queueVersion: number
  /** Days with a partition of spans. */
  partitions: readonly string[]
  /** The next value of each sequence, as text. */
  sequences: readonly { name: string; lastValue: string | null }[]
}

export type TenantName = { id: string; slug: string; logName: string | null }

/**
 * Row-level security shows these two only to a caller who has the digest of a credential. Their rows follow from the table of the
 * credentials.
 */
const derivedFrom: Readonly<Record<string, string>> = {
  'public.api_key_index': 'public.api_keys',
  'public.connection_token_index': 'public.connection_tokens',
}

const chunkBytes = 1 << 20
const [fewestRows, mostRows] = [50, 2000]

/**
 * Opens a transaction in which every statement sees the database at one moment, without waiting for writers and without making
 * them wait. `client` is the owner's, who may but need not bypass row-level security.
 */
export async function openDump(client: Client) {
  await client.query('begin isolation level repeatable read read only')
  await client.query(textSettings)
  // The snapshot begins with the first statement that reads.
  const tenants = await listTenants(client)
  const shape = await shapeOf(client)
  return { tenants, shape, chunks: () => allChunks(client, tenants) }
}

async function listTenants(client: Client): Promise<TenantName[]> {
  const { rows } = await client.query<TenantName>('select id, slug, null as "logName" from public.tenants order by id')
  for (const tenant of rows) {
    await bind(client, tenant.id)
    const { rows: keys } = await client.query<{ logName: string | null }>(
      `select log_name as "logName" from public.signing_keys
       where tenant_id = $1 and purpose = 'log' and retired_at is null`,
      [tenant.id],
    )
    tenant.logName = keys[0]?.logName ?? null
  }
  return rows
}

async function shapeOf(client: Client): Promise<DatabaseShape> {
  const rowsOf = async (text: string) => (await client.query(text)).rows
  const [version] = await rowsOf('select version from pgboss.version')
  return {
    migrations: await rowsOf('select name, sha256 from public.schema_migrations order by name'),
    queueVersion: version.version,
    partitions: await partitionDays(client),
    sequences: await rowsOf(
      `select schemaname || '.' || sequencename as name, last_value::text as "lastValue" from pg_sequences
       where schemaname in ('public', 'pgboss') order by 1`,
    ),
  }
}

const bind = (client: Client, tenantId: string) =>
  client.query(`select set_config('app.tenant_id', $1, true)`, [tenantId])

async function* allChunks(client: Client, tenants: readonly TenantName[]): AsyncGenerator<Chunk> {
  for (const table of await listCopiedTables(client)) {
    if (table.tenantColumn === null) {
      yield* chunksOf(client, table, null)
      continue
    }
    for (const { id } of tenants) {
      await bind(client, id)
      yield* chunksOf(client, table, id)
    }
  }
}

async function* chunksOf(client: Client, table: CopiedTable, tenantId: string | null): AsyncGenerator<Chunk> {
  const columns = table.columns.map(({ name }) => name)
  const texts = columns.map((name) => `${client.escapeIdentifier(name)}::text`).join(', ')
  const where =
    tenantId === null || table.tenantColumn === null
      ? ''
      : ` where ${client.escapeIdentifier(table.tenantColumn)} = ${client.escapeLiteral(tenantId)}`
  const from = quoted(client, derivedFrom[table.name] ?? table.name)
  await client.query(`declare copied no scroll cursor for select ${texts} from ${from}${where}`)
  let limit = fewestRows
  for (;;) {
    const { rows } = await client.query<(string | null)[]>({ text: `fetch ${limit} from copied`, rowMode: 'array' })
    if (rows.length === 0) break
    yield { table: table.name, tenantId, columns, rows }
    // Few rows of content fill a chunk, or many of a journal.
    const bytes = rows.reduce((sum, row) => sum + row.reduce((all, value) => all + (value?.length ?? 0), 0), 0)
    limit = Math.min(mostRows, Math.max(fewestRows, Math.floor((limit * chunkBytes) / Math.max(bytes, 1))))
  }
  await client.query('close copied')
}
