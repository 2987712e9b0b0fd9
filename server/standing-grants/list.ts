import { GrantList, ListGrantsInput } from '#lib/schemas/approvals/grants.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { listGrantRows } from './store.ts'
import { grantViews } from './view.ts'

/** Standing grants in any status, newest first. */
export const list = query({
  permission: 'approval:list',
  input: ListGrantsInput,
  output: GrantList,
  async run({ tx, tenant, input: { limit, cursor, ...filter } }) {
    const page = pageOf(await listGrantRows(tx, tenant.id, filter, limit + 1, cursor), limit, ({ id }) => id)
    const ids = page.items.map(({ id }) => id)
    await requireBound(tx, tenant.id, 'standing_grant', ids)
    return { ...page, items: await grantViews(tx, tenant.id, page.items) }
  },
})
