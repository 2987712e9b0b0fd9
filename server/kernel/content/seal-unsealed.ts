import type { JsonValue } from '#lib/json.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { asOwnerOf } from '#server/kernel/db/partitions.ts'
import { listTenantIds } from '#server/kernel/keys/store.ts'
import { type TenantSealer, tenantSealer } from '#server/kernel/keys/tenant-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { contentContext, contentTables } from './tables.ts'
import { deleteUnsealed, hasUnsealed, lockUnsealed, setContent, type UnsealedRow } from './unsealed-store.ts'

/** Rows of one transaction. */
const lot = 200

/**
 * Encrypts what a migration took out of columns that held it in clear (table `unsealed`), and has the tables written anew,
 * so that no page of them holds the old bytes. Before anything is served: nobody reads a row that waits here. Each lot is a
 * transaction of its own that also deletes what it has sealed; a start that dies leaves the rest to the next one, and one
 * that starts beside another waits for it. Costs one statement where there is nothing to do. Gives the rows sealed.
 */
export async function sealUnsealed(ownerUrl: string): Promise<number> {
  return await asOwnerOf(ownerUrl, async (client) => {
    // A table that holds nothing and was written anew has no pages.
    const { rows } = await client.query<{ bytes: string }>(`select pg_relation_size('unsealed') as bytes`)
    if (Number(rows[0]?.bytes) === 0) return 0
    const sealed = await sealAll()
    for (const { table } of contentTables) await client.query(`vacuum full ${client.escapeIdentifier(table)}`)
    await client.query('vacuum full unsealed')
    return sealed
  })
}

async function sealAll(): Promise<number> {
  const { database } = runtime()
  let sealed = 0
  for (const { id } of await database.inDirectory(listTenantIds)) {
    let more = true
    while (more)
      more = await database.inTenant(id, async (tx) => {
        const rows = await lockUnsealed(tx, id, lot)
        const sealer = await tenantSealer(tx, id)
        for (const row of rows) await takeBack(tx, sealer, id, row)
        await deleteUnsealed(
          tx,
          id,
          rows.map((row) => row.id),
        )
        sealed += rows.length
        return rows.length > 0 || (await hasUnsealed(tx, id))
      })
  }
  return sealed
}

async function takeBack(tx: Transaction, sealer: TenantSealer, tenantId: string, row: UnsealedRow): Promise<void> {
  const found = contentTables.find(({ kind }) => kind === row.kind)
  if (found === undefined) throw new Error(`Nobody knows how to seal a ${row.kind}.`)
  const place = found.place.map((column) => String(row.rowKey[column] ?? ''))
  const values = Object.fromEntries(
    Object.entries(row.rowValues).map(([column, text]) => [
      column,
      sealer.sealJson(JSON.parse(text) as JsonValue, contentContext(found.table, place, column)),
    ]),
  )
  await setContent(tx, tenantId, found, row.rowKey, values)
}
