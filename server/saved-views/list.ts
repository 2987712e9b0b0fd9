import { ListSavedViewsInput, SavedView, SavedViewList } from '#lib/schemas/lists/saved-views.ts'
import { query } from '#server/kernel/operation.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { isRemovable } from './remove.ts'
import { requireList } from './require-list.ts'
import { findViews } from './store.ts'

/** The caller's saved filters of a list, and those that others share. */
export const list = query({
  permission: 'approval:list',
  input: ListSavedViewsInput,
  output: SavedViewList,
  async run({ tx, tenant, principal, input }) {
    requireList(principal, input.list)
    const rows = await findViews(tx, tenant.id, input.list, principal.memberId)
    const actor = await actorsById(
      tx,
      tenant.id,
      rows.map(({ ownerId }) => ownerId),
    )
    return {
      items: rows.map((row) => ({
        id: row.id,
        name: row.name,
        search: SavedView.shape.search.parse(row.search),
        shared: row.shared,
        owner: actor(row.ownerId),
        removable: isRemovable(row, principal),
      })),
    }
  },
})
