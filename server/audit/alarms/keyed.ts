import { canonicalJson } from '#lib/jcs.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import type { AlarmRow } from './store.ts'

/** The keyed digest of a row: a row that was changed or inserted by SQL does not have it. */
export const rowMac = (cipher: TenantCipher, row: Omit<AlarmRow, 'mac'>): string =>
  cipher.digest(
    `alarm row\n${canonicalJson({
      id: row.id,
      kind: row.kind,
      subject: row.subject,
      reason: row.reason,
      // Null for 'infinity', which only SQL can write.
      firstSeenAt: row.firstSeenAt.toJSON(),
      lastSeenAt: row.lastSeenAt.toJSON(),
      count: row.count,
    })}`,
  )

/**
 * What the record that closes an alarm contains to show that the service wrote it. It names the alarm, which is the id of
 * one record of the log, so that it can't be used to close another one.
 */
export const closingProof = (cipher: TenantCipher, alarmId: string): string => cipher.digest(`alarm closed\n${alarmId}`)
