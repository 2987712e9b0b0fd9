import { ApiError, notFound } from '#lib/errors.ts'
import { CloseAlarmInput, CloseAlarmOutput } from '#lib/schemas/alarms.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { closedAction } from './actions.ts'
import { closingProof } from './keyed.ts'
import { findAlarm } from './read-alarms.ts'
import { lockSubject } from './store.ts'

/**
 * alarms.close: a person states what was found. It changes nothing else: a log that is still broken still doesn't verify, and
 * the next check raises a new alarm.
 */
export const close = mutation({
  permission: 'tenant:manage',
  input: CloseAlarmInput,
  output: CloseAlarmOutput,
  audit: ({ id, reason }) => ({ action: closedAction, resource: { type: 'alarm', id }, reason }),
  async run({ tx, tenant, principal, input: { id }, note }) {
    if (principal.kind !== 'person')
      throw refuse('person_required', 'Only a person can close an alarm. Sign in with the permission tenant:manage.')
    const alarm = await findAlarm(tx, tenant.id, id)
    if (alarm === undefined) throw notFound()
    const { kind, subject } = alarm
    await lockSubject(tx, tenant.id, kind, subject)
    if ((await findAlarm(tx, tenant.id, id))?.status !== 'open')
      throw new ApiError('conflict', 'The alarm has already been closed.')
    note({ kind, subject, proof: closingProof(await tenantCipher(tx, tenant.id), id) })
    return { id, status: 'closed' as const }
  },
})
