import { notFound } from '#lib/errors.ts'
import { GetReceiptInput, Receipt } from '#lib/schemas/inputs.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { findErased } from '#server/kernel/content/erased-store.ts'
import { query } from '#server/kernel/operation.ts'
import { findReceipt } from '../read-store.ts'
import { receiptViews } from '../view.ts'

/** The state of one event: admission, match, delivery and application. Its data is not included. */
export const get = query({
  permission: 'input:read',
  input: GetReceiptInput,
  output: Receipt,
  async run({ tx, tenant, input }) {
    const [row] = await Promise.all([
      findReceipt(tx, tenant.id, input.receiptId),
      requireBound(tx, tenant.id, 'input_event', [input.receiptId]),
    ])
    if (row === undefined) throw notFound()
    const erased = await findErased(tx, tenant.id, 'input_event', row.id)
    const [view] = await receiptViews(tx, tenant.id, [row])
    if (view === undefined) throw notFound()
    return { ...view, erased }
  },
})
