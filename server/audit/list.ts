import { z } from 'zod'
import { AuditList, ListAuditInput } from '#lib/schemas/audit.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { listRecords } from './store.ts'
import { auditRecordView } from './view.ts'

/** `<date>~<seq>` of the last row. */
const Cursor = z
  .string()
  .regex(/^[1-9]\d{3}-\d\d-\d\d~\d{1,9}$/, 'not a cursor of this list')
  .transform((text) => text.split('~'))
  .pipe(z.tuple([z.iso.date(), z.string().transform(Number)]))

/** The tenant's audit records, newest first. */
export const list = query({
  permission: 'audit:read',
  input: ListAuditInput.extend({ cursor: Cursor.optional() }),
  output: AuditList,
  async run({ tx, tenant, input }) {
    const before = input.cursor && { date: input.cursor[0], seq: input.cursor[1] }
    const rows = await listRecords(tx, tenant.id, { limit: input.limit + 1, before })
    const { items, nextCursor } = pageOf(rows, input.limit, (row) => `${row.date}~${row.seq}`)
    return { items: items.map(auditRecordView), nextCursor }
  },
})
