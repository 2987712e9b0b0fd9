import { z } from 'zod'
import { AuditRecord } from '#lib/schemas/audit.ts'
import type { ListedRecord } from './list-store.ts'

const Content = AuditRecord.pick({ actor: true, resource: true, at: true }).extend({ reason: z.string().nullable() })

/** A row of the list. A record that was altered beyond recognition is still listed, under its id. */
export function auditRecordView({
  auditId,
  date,
  seq,
  type,
  content,
  createdAt,
}: ListedRecord): z.infer<typeof AuditRecord> {
  const read = Content.safeParse(content)
  const known = read.success
    ? read.data
    : {
        actor: { type: 'unknown', id: '', name: 'Unreadable record' },
        resource: { type: 'unknown', id: '' },
        at: createdAt.toISOString(),
        reason: null,
      }
  return { auditId, date, seq, type, ...known }
}
