import { Client } from 'pg'
import { contentContext, contentTables } from '#server/kernel/content/tables.ts'
import type { TestApi } from './api.ts'
import { cipherOfApi } from './tenant-cipher.ts'

/** Returns where a text occurs in the decrypted content of a running server's tenant: `table.column` → keys of its rows. */
export async function contentWith(api: TestApi, word: string, slug = 'northwind'): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const { column, key, text } of await allContent(api, slug)) {
    if (!text.toLowerCase().includes(word)) continue
    found.set(column, [...(found.get(column) ?? []), key].sort())
  }
  return found
}

/** Returns all content of the tenant, decrypted, as JSON. */
export async function allContent(
  api: TestApi,
  slug = 'northwind',
): Promise<{ column: string; key: string; text: string }[]> {
  const cipher = await cipherOfApi(api, slug)
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const found: { column: string; key: string; text: string }[] = []
  try {
    for (const { table, key, place, columns } of contentTables)
      for (const column of columns) {
        const { rows } = await owner.query<{ key: string; place: (string | null)[]; encrypted: Buffer }>(
          `select concat_ws(' ', ${key.join(', ')}) as key, array[${place.map((name) => `${name}::text`).join(', ')}] as place,
             ${column} as encrypted
           from ${table} where not content_gone(${column}) and tenant_id = (select id from tenants where slug = $1)`,
          [slug],
        )
        for (const { key: row, place: at, encrypted } of rows) {
          const text = JSON.stringify(cipher.decryptJson(encrypted, contentContext(table, at, column)))
          found.push({ column: `${table}.${column}`, key: row, text })
        }
      }
    return found
  } finally {
    await owner.end()
  }
}
