import { z } from 'zod'
import { AuditList, ListAuditInput } from '#lib/schemas/audit.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { listWhatIsShown } from './list-store.ts'
import { auditRecordView } from './view.ts'

/** `<date>~<seq>` of the last row. */
const Cursor = z
  .string()
  .regex(/^[1-9]\d{3}-\d\d-\d\d~\d{1,9}$/, 'not a cursor of this list')
  .transform((text) => text.split('~'))
  .pipe(z.tuple([z.iso.date(), z.string().transform(Number)]))

/** Returns the tenant's audit records that match all filters, newest first. */
export const list = query({
  permission: 'audit:read',
  input: ListAuditInput.extend({ cursor: Cursor.optional() }),
  output: AuditList,
  async run({ tx, tenant, input: { limit, cursor, from, to, ...filter } }) {
    const before = cursor && { date: cursor[0], seq: cursor[1] }
    const period = {
      from: from === undefined ? undefined : new Date(from),
      to: to === undefined ? undefined : new Date(to),
    }
    const rows = await listWhatIsShown(tx, tenant.id, { limit: limit + 1, before, ...period, ...filter })
    const { items, nextCursor } = pageOf(rows, limit, (row) => `${row.date}~${row.seq}`)
    return { items: items.map(auditRecordView), nextCursor }
  },
})
