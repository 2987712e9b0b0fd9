import { ListWaitsInput, WaitList } from '#lib/schemas/inputs.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { listWaits } from '../read-store.ts'
import { waitView } from '../view.ts'

/** Waits with any status, newest first. */
export const list = query({
  permission: 'input:read',
  input: ListWaitsInput,
  output: WaitList,
  async run({ tx, tenant, input }) {
    const rows = await listWaits(tx, tenant.id, { ...input, limit: input.limit + 1 })
    return await boundPage(tx, tenant.id, 'input_wait', {
      rows: rows.map(waitView),
      limit: input.limit,
      idOf: ({ id }) => id,
    })
  },
})
