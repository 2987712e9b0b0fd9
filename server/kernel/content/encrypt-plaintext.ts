import type { Client } from 'pg'
import type { JsonValue } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { asOwnerOf } from '#server/kernel/db/partitions.ts'
import { listTenantIds } from '#server/kernel/keys/store.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { keyedDigest } from './keyed-digest.ts'
import { deletePlaintext, hasPlaintext, lockPlaintext, type PlaintextRow, setContent } from './plaintext-store.ts'
import { contentContext, contentTables } from './tables.ts'

/** Rows per transaction. */
const lot = 200

/**
 * Encrypts the values that a migration moved out of plaintext columns (table `unsealed`), and rewrites the tables so
 * that no page contains the old bytes. Runs before anything is served, so the waiting rows are never read. Each batch
 * is a transaction that also deletes the rows that it encrypted: after a crash, the next startup continues, and
 * concurrent startups wait for each other. Costs one statement if there is nothing to do. Returns the number of
 * encrypted rows.
 */
export async function encryptPlaintext(ownerUrl: string): Promise<number> {
  return await asOwnerOf(ownerUrl, async (client) => {
    // An empty table has zero pages after it was rewritten.
    const { rows } = await client.query<{ bytes: string }>(`select pg_relation_size('unsealed') as bytes`)
    if (Number(rows[0]?.bytes) === 0) return 0
    const encrypted = await encryptAll()
    await writeAnew(client)
    return encrypted
  })
}

/**
 * Copies live rows into new files and drops the old files, which contain removed columns and old row versions. VACUUM
 * FULL would keep versions that another transaction might still read; changing a column's type does not.
 */
async function writeAnew(client: Client): Promise<void> {
  await client.query('begin')
  await client.query('lock table unsealed in access exclusive mode')
  await client.query('alter table unsealed no force row level security')
  const { rowCount } = await client.query('select 1 from unsealed limit 1')
  if (rowCount !== 0)
    throw new Error('Another process is still encrypting content. Start this process again when it has finished.')
  for (const { table, columns } of contentTables) {
    const column = client.escapeIdentifier(columns[0] ?? '')
    const alter = `alter table ${client.escapeIdentifier(table)} alter column ${column}`
    await client.query(`${alter} type bytea using ${column} || ''::bytea`)
    await client.query(`${alter} set storage external`)
  }
  await client.query('truncate unsealed')
  await client.query('alter table unsealed force row level security')
  await client.query('commit')
}

async function encryptAll(): Promise<number> {
  const { database } = runtime()
  let encrypted = 0
  for (const { id } of await database.inDirectory(listTenantIds)) {
    let more = true
    while (more)
      more = await database.inTenant(id, async (tx) => {
        const rows = await lockPlaintext(tx, id, lot)
        const cipher = await tenantCipher(tx, id)
        for (const row of rows) await takeBack(tx, cipher, id, row)
        await deletePlaintext(
          tx,
          id,
          rows.map((row) => row.id),
        )
        encrypted += rows.length
        return rows.length > 0 || (await hasPlaintext(tx, id))
      })
  }
  return encrypted
}

async function takeBack(tx: Transaction, cipher: TenantCipher, tenantId: string, row: PlaintextRow): Promise<void> {
  const found = contentTables.find(({ kind }) => kind === row.kind)
  if (found === undefined) throw new Error(`No content table has the kind ${row.kind}.`)
  const digests = Object.fromEntries(
    (found.digests ?? []).flatMap((column) => {
      const text = row.rowValues[column]
      return text === undefined ? [] : [[column, keyedDigest(cipher, found.table, column, text)]]
    }),
  )
  // A row is found by its old values, and its content is encrypted for its new ones.
  const place = found.place.map((column) => String(digests[column] ?? row.rowKey[column] ?? ''))
  const encrypted = found.columns.flatMap((column) => {
    const text = row.rowValues[column]
    if (text === undefined) return []
    const value = JSON.parse(text) as JsonValue
    return [[column, cipher.encryptJson(value, contentContext(found.table, place, column))]]
  })
  const values: Record<string, string | Buffer> = { ...digests, ...Object.fromEntries(encrypted) }
  await setContent(tx, tenantId, found, row.rowKey, values)
}
