import { ListReceiptsInput, ReceiptList } from '#lib/schemas/inputs.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { listReceipts } from '../read-store.ts'
import { receiptViews } from '../view.ts'

/** The inbox, newest first; the attributes of senders are masked. */
export const list = query({
  permission: 'input:read',
  input: ListReceiptsInput,
  output: ReceiptList,
  async run({ tx, tenant, input }) {
    const rows = await listReceipts(tx, tenant.id, { ...input, limit: input.limit + 1 })
    const actor = await actorsById(
      tx,
      tenant.id,
      rows.map((row) => row.submittedBy),
    )
    const views = await receiptViews(tx, tenant.id, rows, actor)
    return pageOf(views, input.limit, (receipt) => receipt.receiptId)
  },
})
