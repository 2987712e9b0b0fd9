import { z } from 'zod'
import { AuditRecord } from '#lib/schemas/audit.ts'
import type { StoredRecord } from './store.ts'

const Content = AuditRecord.pick({ actor: true, resource: true, at: true }).extend({ reason: z.string().optional() })

/** A row of the list. A record that was altered beyond recognition is still listed, under its id. */
export function auditRecordView({
  auditId,
  date,
  seq,
  type,
  record,
  createdAt,
}: StoredRecord): z.infer<typeof AuditRecord> {
  const content = Content.safeParse(record)
  const { reason, ...known } = content.success
    ? content.data
    : {
        actor: { type: 'unknown', id: '', name: 'Unreadable record' },
        resource: { type: 'unknown', id: '' },
        at: createdAt.toISOString(),
      }
  return { auditId, date, seq, type, ...known, reason: reason ?? null }
}
