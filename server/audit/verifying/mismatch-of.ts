import type { VerifyInput, VerifyOutput } from '#lib/schemas/traces.ts'
import type { Found } from '#server/audit/alarms/raise-alarm.ts'
import { findRecord, type LogOwner } from '#server/audit/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { verifyRecord } from './verify-record.ts'

/**
 * Returns the alarm to raise about a verification: undefined unless what is stored does not agree. If the caller gave values,
 * the record is checked again without them, because a wrong proof does not justify an alarm. All records of a day share one.
 */
export async function mismatchOf(
  tx: Transaction,
  tenant: LogOwner,
  input: VerifyInput,
  output: VerifyOutput,
): Promise<Found | undefined> {
  if (output.status !== 'mismatch') return undefined
  const { auditId } = input
  const given = Object.keys(input).some((name) => name !== 'tenant' && name !== 'auditId')
  const { status, checks } = given ? await verifyRecord(tx, tenant, { tenant: input.tenant, auditId }) : output
  const record = await findRecord(tx, tenant.id, auditId)
  if (status !== 'mismatch' || record === undefined) return undefined
  const detail = checks.find((check) => !check.ok)?.detail ?? ''
  return {
    kind: 'verification',
    subject: record.date,
    reason: `The verification of record ${record.seq} (${auditId}) failed. ${detail}`,
  }
}
