import { alarmsPath } from '#lib/paths.ts'
import type { Describe } from '#server/notifications/describe.ts'

/** An alarm, as a message to the outside names it. */
export const describeAlarm: Describe = (_tx, tenant, id, { subject }) =>
  Promise.resolve({
    title: `Stored evidence does not agree: ${String(subject)}`,
    ids: { alarmId: id },
    outcome: 'open',
    path: alarmsPath(tenant.externalId),
  })
