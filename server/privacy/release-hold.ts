import { ApiError, notFound } from '#lib/errors.ts'
import { ReleaseHoldInput, ReleaseHoldOutput } from '#lib/schemas/privacy.ts'
import { mutation } from '#server/kernel/operation.ts'
import { findHold, setHoldReleased } from './store.ts'

/** holds.release: ends a hold permanently. */
export const releaseHold = mutation({
  permission: 'hold:manage',
  input: ReleaseHoldInput,
  output: ReleaseHoldOutput,
  audit: ({ id, reason }) => ({ action: 'hold.released', resource: { type: 'hold', id }, reason }),
  async run({ tx, tenant, principal, input: { id, expectedRevision, reason } }) {
    const released = await setHoldReleased(tx, tenant.id, {
      id,
      revision: expectedRevision,
      by: principal.memberId,
      reason,
    })
    if (released !== undefined) return { id, revision: released.revision }
    const hold = await findHold(tx, tenant.id, id)
    if (hold === undefined) throw notFound()
    throw hold.releasedAt === null
      ? new ApiError('revision_conflict', 'The hold changed after you opened it. Reload it and try again.', {
          details: { revision: hold.revision },
        })
      : new ApiError('conflict', 'The hold has already been released.')
  },
})
