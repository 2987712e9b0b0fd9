import { ListWaitsInput, WaitList } from '#lib/schemas/inputs.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { listWaits } from '../read-store.ts'
import { waitView } from '../view.ts'

/** Waits with any status, newest first. */
export const list = query({
  permission: 'input:read',
  input: ListWaitsInput,
  output: WaitList,
  async run({ tx, tenant, input }) {
    const rows = await listWaits(tx, tenant.id, { ...input, limit: input.limit + 1 })
    const page = pageOf(rows.map(waitView), input.limit, (wait) => wait.id)
    await requireBound(
      tx,
      tenant.id,
      'input_wait',
      page.items.map(({ id }) => id),
    )
    return page
  },
})
