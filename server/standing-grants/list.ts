import { GrantList, ListGrantsInput } from '#lib/schemas/approvals/grants.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { listGrantRows } from './store.ts'
import { grantViews } from './view.ts'

/** Standing grants in any status, newest first. */
export const list = query({
  permission: 'approval:list',
  input: ListGrantsInput,
  output: GrantList,
  async run({ tx, tenant, input: { limit, cursor, ...filter } }) {
    const rows = await listGrantRows(tx, tenant.id, filter, limit + 1, cursor)
    const page = await boundPage(tx, tenant.id, 'standing_grant', { rows, limit, idOf: ({ id }) => id })
    return { ...page, items: await grantViews(tx, tenant.id, page.items) }
  },
})
