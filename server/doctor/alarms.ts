import type { Client } from 'pg'
import { counted } from '#lib/verify/counted.ts'
import { openAlarmsText, openAlarmsValues } from '#server/audit/alarms/open-alarms-text.ts'
import { type Finding, ok, warning } from './findings.ts'
import { hasTables, inTenant } from './in-tenant.ts'

/**
 * The open alarms of each tenant, as the log and the table list them. Unlike the console, this does not check their proofs: it may
 * miss alarms that a change by SQL hides.
 */
export async function checkAlarms(client: Client): Promise<Finding[]> {
  if (!(await hasTables(client, ['alarms']))) return []
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

const openAlarms = (client: Client, tenantId: string): Promise<number> =>
  inTenant(client, tenantId, async () => {
    const { rows } = await client.query<{ open: number }>(openAlarmsText, openAlarmsValues(tenantId))
    return rows[0]?.open ?? 0
  })
