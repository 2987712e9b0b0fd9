import type { Client } from 'pg'

/** Reads one tenant's rows. Row-level security also holds for the owner, so the tenant is set as the server sets it. */
export async function inTenant<T>(client: Client, tenantId: string, read: () => Promise<T>): Promise<T> {
  await client.query('begin read only')
  try {
    await client.query(`select set_config('app.tenant_id', $1, true)`, [tenantId])
    return await read()
  } finally {
    await client.query('rollback')
  }
}

/** False in the database of a version that does not have these tables yet. */
export async function hasTables(client: Client, names: readonly string[]): Promise<boolean> {
  const { rows } = await client.query<{ known: boolean }>(
    `select bool_and(to_regclass('public.' || name) is not null) as known from unnest($1::text[]) name`,
    [names],
  )
  return rows[0]?.known === true
}
