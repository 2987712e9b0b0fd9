import { ListReceiptsInput, ReceiptList } from '#lib/schemas/inputs.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { listReceipts } from '../read-store.ts'
import { receiptViews } from '../view.ts'

/** The inbox, newest first; the attributes of senders are masked. */
export const list = query({
  permission: 'input:read',
  input: ListReceiptsInput,
  output: ReceiptList,
  async run({ tx, tenant, input }) {
    const rows = await listReceipts(tx, tenant.id, { ...input, limit: input.limit + 1 })
    return await boundPage(tx, tenant.id, 'input_event', {
      rows: await receiptViews(tx, tenant.id, rows),
      limit: input.limit,
      idOf: ({ receiptId }) => receiptId,
      parts: {
        input_wait: rows.flatMap(({ waitId }) => waitId ?? []),
        input_resolution: rows.flatMap(({ resolutionId }) => resolutionId ?? []),
      },
    })
  },
})
