import type { Alarm } from '#lib/schemas/alarms.ts'
import { type LogName, sealLog } from '#server/audit/sealing/log-name.ts'
import { setBroken } from '#server/audit/tree/check-state.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { counter } from '#server/kernel/observe/meters.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tellChannels } from '#server/notifications/tell-channels.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { brokenLogAction, raisedAction } from './actions.ts'
import { rowMac } from './keyed.ts'
import { findOpenAlarm } from './read-alarms.ts'
import { databaseTime, lockSubject, setAlarm } from './store.ts'

export type Found = Pick<Alarm, 'kind' | 'subject' | 'reason'>

/** The alarm about a log that differs from its signature. */
export const brokenLog = (name: LogName, reason: string): Found => ({
  kind: name === sealLog ? 'seal_log' : 'log',
  subject: name,
  reason,
})

/** The alarm about a memory of the signer that is missing, damaged or too old. */
export const refusedMemory = ({ message }: { message: string }): Found => ({
  kind: 'memory',
  subject: 'signer',
  reason: message,
})

/**
 * Raises an alarm in a transaction of its own, because the transaction that found the difference is usually undone. A subject
 * has one open alarm: finding it again only counts. If nothing can be appended to the log, because its rows were changed, the
 * alarm is only in the table, where its mac proves it, until a later finding can be recorded.
 */
export async function raiseAlarm(tenantId: string, found: Found): Promise<void> {
  const { database, log } = runtime()
  try {
    await database.inTenant(tenantId, (tx) => raiseAlarmIn(tx, tenantId, found))
  } catch (error) {
    log.error(
      { err: error, tenantId, ...found },
      'an alarm could not be written to the log; it is stored without a record',
    )
    const added = await database.inTenant(tenantId, (tx) => storeAlarm(tx, tenantId, found, { inLog: false }))
    if (added === undefined) return
    // On its own, so that the alarm is stored whatever becomes of its announcement.
    await database
      .inTenant(tenantId, (tx) => announce(tx, tenantId, added, found))
      .catch((failed: unknown) => log.error({ err: failed, tenantId, ...found }, 'an alarm could not be announced'))
  }
}

const raised = counter(
  'countersign_alarms_raised_total',
  'Alarms that this process raised, by what disagreed. Alert on any increase.',
)

/** The same, in a transaction that commits. Throws if nothing can be appended to the log. */
export async function raiseAlarmIn(tx: Transaction, tenantId: string, found: Found): Promise<void> {
  await storeAlarm(tx, tenantId, found, { inLog: true })
}

const announce = (tx: Transaction, tenantId: string, id: string, { kind, subject }: Found): Promise<void> =>
  tellChannels(tx, tenantId, 'alarm.raised', id, { kind, subject })

/** Announces an alarm that it records. Returns the id of a new one that is only in the table. */
async function storeAlarm(
  tx: Transaction,
  tenantId: string,
  found: Found,
  { inLog }: { inLog: boolean },
): Promise<string | undefined> {
  const { kind, subject, reason } = found
  const isLog = kind === 'log' || kind === 'seal_log'
  // Before anything that may fail: the operator's monitor reads these too.
  raised.add({ kind })
  runtime().log.error(
    { tenantId, alarm: kind, subject, reason },
    isLog ? 'THE AUDIT LOG IS BROKEN: it does not match what was signed' : 'ALARM: stored evidence does not agree',
  )
  await lockSubject(tx, tenantId, kind, subject)
  // From now on none of its records verify.
  if (isLog) await setBroken(tx, tenantId, subject, reason)
  const open = await findOpenAlarm(tx, tenantId, found)
  const now = await databaseTime(tx)
  const recorded = inLog && open?.inLog !== true
  const row = {
    id: recorded || open === undefined ? newId() : open.id,
    kind,
    subject,
    reason,
    firstSeenAt: open === undefined ? now : new Date(open.firstSeenAt),
    lastSeenAt: now,
    count: (open?.count ?? 0) + 1,
  }
  const cipher = await tenantCipher(tx, tenantId)
  await setAlarm(tx, tenantId, { ...row, mac: rowMac(cipher, row) })
  // An alarm that is only a row moves to the id of its record. Its own may be that of a record which was removed and may return.
  if (open !== undefined && open.id !== row.id) {
    const moved = { ...row, id: open.id, count: 0 }
    await setAlarm(tx, tenantId, { ...moved, mac: rowMac(cipher, moved) })
  }
  if (!recorded) return open === undefined ? row.id : undefined
  await announce(tx, tenantId, row.id, found)
  await appendAudit(tx, await tenantById(tx, tenantId), {
    auditId: row.id,
    actor: systemActor,
    action: isLog ? brokenLogAction : raisedAction,
    resource: isLog ? { type: 'audit_log', id: subject } : { type: 'alarm', id: row.id },
    reason,
    details: { kind, subject },
  })
  return undefined
}
