import { type Alarm, AlarmList, ListAlarmsInput } from '#lib/schemas/alarms.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { readAlarms } from './read-alarms.ts'

/** alarms.list, newest first; by default open and closed ones. */
export const listAlarms = query({
  permission: 'audit:read',
  input: ListAlarmsInput,
  output: AlarmList,
  async run({ tx, tenant, input: { limit, cursor, status } }) {
    const found: Alarm[] = []
    for await (const alarm of readAlarms(tx, tenant.id, cursor)) {
      if (status === undefined || alarm.status === status) found.push(alarm)
      if (found.length > limit) break
    }
    return pageOf(found, limit, ({ id }) => id)
  },
})
