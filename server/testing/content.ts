import { Client } from 'pg'
import { contentContext, contentTables } from '#server/kernel/content/tables.ts'
import type { TestApi } from './api.ts'
import { sealerOfApi } from './tenant-sealer.ts'

/** Where a text stands in content of a running server's tenant, decrypted: `table.column` → keys of its rows. */
export async function contentWith(api: TestApi, word: string, slug = 'northwind'): Promise<Map<string, string[]>> {
  const sealer = await sealerOfApi(api, slug)
  const owner = new Client({ connectionString: api.ownerUrl })
  await owner.connect()
  const found = new Map<string, string[]>()
  try {
    for (const { table, key, place, columns } of contentTables)
      for (const column of columns) {
        const { rows } = await owner.query<{ key: string; place: (string | null)[]; sealed: Buffer }>(
          `select concat_ws(' ', ${key.join(', ')}) as key, array[${place.map((name) => `${name}::text`).join(', ')}] as place,
             ${column} as sealed
           from ${table} where ${column} is not null and tenant_id = (select id from tenants where slug = $1)`,
          [slug],
        )
        const keys = rows
          .filter(({ place: at, sealed }) =>
            JSON.stringify(sealer.openJson(sealed, contentContext(table, at, column)))
              .toLowerCase()
              .includes(word),
          )
          .map((row) => row.key)
        if (keys.length > 0) found.set(`${table}.${column}`, keys.sort())
      }
    return found
  } finally {
    await owner.end()
  }
}
