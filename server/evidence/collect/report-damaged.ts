import { raiseAlarm } from '#server/audit/alarms/raise-alarm.ts'
import { rowFiles } from './collect-store.ts'
import type { LeftOut } from './left-out.ts'

/** Alarms that one archive raises. Its omissions list all that it found. */
const mostAlarms = 100

/** Raises an alarm for each object with a value that could not be decrypted, and that the archive therefore leaves out. */
export async function reportDamaged(tenantId: string, leftOut: readonly LeftOut[]): Promise<void> {
  const subjects = new Set(
    leftOut.flatMap(({ resource, id, reason }) =>
      reason === 'integrity_failed' && id !== undefined ? [`${typeOf(resource)}/${id}`] : [],
    ),
  )
  for (const subject of [...subjects].slice(0, mostAlarms))
    await raiseAlarm(tenantId, { kind: 'object', subject, reason: 'A stored value can’t be decrypted.' })
}

/** The type of an object in the alarm. Values of telemetry are in files of their own. */
const typeOf = (resource: string): string =>
  rowFiles.find(({ name }) => name === resource)?.type ?? telemetry[resource] ?? resource

const telemetry: Readonly<Record<string, string>> = { spans: 'span', resources: 'resource' }
