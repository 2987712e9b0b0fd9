import type { Client } from 'pg'
import { counted } from '#lib/verify/counted.ts'
import { openAlarmsText, openAlarmsValues } from '#server/audit/alarms/open-alarms-text.ts'
import { type Finding, ok, warning } from './findings.ts'

/**
 * The open alarms of each tenant, as the log and the table list them. Unlike the console, this does not check their proofs: it may
 * miss alarms that a change by SQL hides.
 */
export async function checkAlarms(client: Client): Promise<Finding[]> {
  const { rows: known } = await client.query<{ known: boolean }>(
    `select to_regclass('public.alarms') is not null as known`,
  )
  if (known[0]?.known !== true) return []
  const { rows: tenants } = await client.query<{ id: string; name: string }>(
    'select id, external_id as name from tenants order by slug',
  )
  const found: Finding[] = []
  for (const { id, name } of tenants) {
    const open = await openAlarms(client, id)
    if (open > 0)
      found.push(
        warning(
          'Alarms',
          `${name} has ${counted(open, 'open alarm', 'open alarms')}: stored data disagrees with the log, or it is not signed.`,
          'The page Alarms of the console says what differs and what to do; it needs the permission audit:read.',
        ),
      )
  }
  return found.length > 0 || tenants.length === 0 ? found : [ok('Alarms', 'none are open')]
}

/** Row-level security also holds for the owner, so the tenant is set as the server sets it. */
async function openAlarms(client: Client, tenantId: string): Promise<number> {
  await client.query('begin read only')
  try {
    await client.query(`select set_config('app.tenant_id', $1, true)`, [tenantId])
    const { rows } = await client.query<{ open: number }>(openAlarmsText, openAlarmsValues(tenantId))
    return rows[0]?.open ?? 0
  } finally {
    await client.query('rollback')
  }
}
