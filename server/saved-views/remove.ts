import { ApiError, notFound } from '#lib/errors.ts'
import { RemoveSavedViewInput, RemoveSavedViewOutput } from '#lib/schemas/lists/saved-views.ts'
import type { Principal } from '#server/kernel/auth/principal.ts'
import { mutation } from '#server/kernel/operation.ts'
import { deleteView, findView } from './store.ts'

/** Removes the caller's saved filters, or as an administrator those that someone shares. */
export const remove = mutation({
  permission: 'approval:list',
  input: RemoveSavedViewInput,
  output: RemoveSavedViewOutput,
  audit: (input) => ({ action: 'saved_view.removed', resource: { type: 'saved_view', id: input.id } }),
  async run({ tx, tenant, principal, input }) {
    const view = await findView(tx, tenant.id, input.id)
    // A view that is not shared does not exist for others.
    if (view === undefined || (view.ownerId !== principal.memberId && !view.shared)) throw notFound()
    if (!isRemovable(view, principal))
      throw new ApiError('forbidden', 'Only its owner or an administrator can remove a shared view.')
    await deleteView(tx, tenant.id, input.id)
    return { id: input.id }
  },
})

export const isRemovable = (
  { ownerId, shared }: { ownerId: string; shared: boolean },
  { memberId, permissions }: Principal,
): boolean => ownerId === memberId || (shared && permissions.has('tenant:manage'))
