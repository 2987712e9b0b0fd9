import { ApiError } from '#lib/errors.ts'
import { SaveViewInput, SaveViewOutput } from '#lib/schemas/lists/saved-views.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation } from '#server/kernel/operation.ts'
import { requireList } from './require-list.ts'
import { countViews, saveView } from './store.ts'

const mostOwn = 50

/** Keeps the filters of a list under a name, for the caller or for everyone. */
export const save = mutation({
  permission: 'approval:list',
  input: SaveViewInput,
  output: SaveViewOutput,
  audit: (input, output) => ({
    action: 'saved_view.saved',
    resource: { type: 'saved_view', id: output?.id ?? 'none' },
    details: { list: input.list, name: input.name, shared: input.shared },
  }),
  async run({ tx, tenant, principal, input }) {
    const { list, name, search, shared } = input
    requireList(principal, list)
    const ownerId = principal.memberId
    const id = await saveView(tx, { tenantId: tenant.id, id: newId(), list, ownerId, name, search, shared })
    if ((await countViews(tx, tenant.id, list, ownerId)) > mostOwn)
      throw new ApiError('conflict', `You can save at most ${mostOwn} views of a list. Remove one first.`)
    return { id }
  },
})
