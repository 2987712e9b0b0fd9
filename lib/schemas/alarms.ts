import { z } from 'zod'
import { Id, Justification, PageInput, page, Time } from './common.ts'

/**
 * What disagreed: a day of the audit log, the log of closed days, the row of an object, a verification of a record, the
 * check before an export, or an export; that the signer's memory is missing or damaged (`memory`); or that nothing is signed for a
 * long time (`database`, because of older processes, or `memory`, because the signer's memory can't be written).
 */
export const alarmKinds = [
  'log',
  'seal_log',
  'object',
  'verification',
  'preflight',
  'export',
  'memory',
  'signing',
] as const
export type AlarmKind = (typeof alarmKinds)[number]

export const Alarm = z.object({
  /** The id of the audit record that raised it. */
  id: Id,
  kind: z.enum(alarmKinds),
  /** A day, `seals`, an export, or `<type>/<id>` of an object. */
  subject: z.string(),
  reason: z.string(),
  status: z.enum(['open', 'closed']),
  firstSeenAt: Time,
  lastSeenAt: Time,
  /** How often it was found while it was open. */
  count: z.int(),
  /** False if the audit record that raised it can no longer be found in the log. */
  inLog: z.boolean(),
  closedAt: Time.nullable(),
  closedBy: z.object({ type: z.string(), id: z.string(), name: z.string() }).nullable(),
  closeReason: z.string().nullable(),
})
export type Alarm = z.infer<typeof Alarm>
export const ListAlarmsInput = z.strictObject({ ...PageInput, status: Alarm.shape.status.optional() })
export const AlarmList = page(Alarm)
/** What was found, and why the alarm can be closed. Kept permanently, in the audit log. */
export const CloseAlarmInput = z.strictObject({ id: Id, reason: Justification })
export const CloseAlarmOutput = z.object({ id: Id, status: z.literal('closed') })
