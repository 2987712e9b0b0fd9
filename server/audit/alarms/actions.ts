/** A log that differs from its signature. Older than the other alarms, and stored under this name. */
export const brokenLogAction = 'audit_log.integrity_failed'
export const raisedAction = 'alarm.raised'
export const closedAction = 'alarm.closed'
/** The actions of audit records that raise an alarm. */
export const raisedActions: readonly string[] = [brokenLogAction, raisedAction]
