import { alarmsPath } from '#lib/paths.ts'
import type { Describe } from '#server/notifications/describe.ts'

/** An alarm, as a message to the outside names it. */
export const describeAlarm: Describe = (_tx, tenant, _id, { subject }) =>
  Promise.resolve({
    title: `Stored evidence does not agree: ${String(subject)}`,
    path: alarmsPath(tenant.externalId),
  })
