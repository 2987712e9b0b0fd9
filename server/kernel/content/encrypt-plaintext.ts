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

/** Rows of one transaction. */
const lot = 200

/**
 * Encrypts what a migration took out of columns that held it in clear (table `unsealed`), and has the tables written anew,
 * so that no page of them holds the old bytes. Before anything is served: nobody reads a row that waits here. Each lot is a
 * transaction of its own that also deletes what it has encrypted; a start that dies leaves the rest to the next one, and one
 * that starts beside another waits for it. Costs one statement where there is nothing to do. Gives the rows encrypted.
 */
export async function encryptPlaintext(ownerUrl: string): Promise<number> {
  return await asOwnerOf(ownerUrl, async (client) => {
    // A table that holds nothing and was written anew has no pages.
    const { rows } = await client.query<{ bytes: string }>(`select pg_relation_size('unsealed') as bytes`)
    if (Number(rows[0]?.bytes) === 0) return 0
    const encrypted = await encryptAll()
    await writeAnew(client)
    return encrypted
  })
}

/**
 * Copies what lives into new files and leaves the old ones, which hold dropped columns and old versions of rows. VACUUM FULL
 * would keep versions that some other transaction might still look at; a column whose type changes does not.
 */
async function writeAnew(client: Client): Promise<void> {
  await client.query('begin')
  await client.query('lock table unsealed in access exclusive mode')
  await client.query('alter table unsealed no force row level security')
  const { rowCount } = await client.query('select 1 from unsealed limit 1')
  if (rowCount !== 0) throw new Error('Another process is still encrypting content: start again.')
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
  // A row is found by what it was called before, and its content is encrypted for what it is called now.
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
