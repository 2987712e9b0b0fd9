import type { Client } from 'pg'

export type DoctorTenant = { slug: string; externalId: string; settings: unknown }

/** Undefined: the database could not be read. */
export type DoctorTenants = readonly DoctorTenant[] | undefined

/** The tenants, none in a database that has not been migrated. */
export async function listTenants(client: Client): Promise<DoctorTenant[]> {
  const { rows: known } = await client.query<{ known: boolean }>(
    `select to_regclass('public.tenants') is not null as known`,
  )
  if (known[0]?.known !== true) return []
  const { rows } = await client.query<{ slug: string; external_id: string; settings: unknown }>(
    'select slug, external_id, settings from tenants order by slug',
  )
  return rows.map(({ slug, external_id: externalId, settings }) => ({ slug, externalId, settings }))
}
