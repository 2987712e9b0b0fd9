import { ApiError, notFound } from '#lib/errors.ts'
import { EndReleaseInput, EndReleaseOutput } from '#lib/schemas/agents.ts'
import { mutation } from '#server/kernel/operation.ts'
import { findRelease, setReleaseEnded } from './store.ts'

/** active → revoked: no new executions start under it, and running ones end at their next governed call. */
export const revoke = mutation({
  permission: 'release:revoke',
  input: EndReleaseInput,
  output: EndReleaseOutput,
  audit: (input) => ({
    action: 'release.revoked',
    resource: { type: 'release', id: input.id },
    reason: input.reason,
  }),
  async run({ tx, tenant, input }) {
    const release = await findRelease(tx, tenant.id, input.id)
    if (release === undefined) throw notFound()
    if (!(await setReleaseEnded(tx, tenant.id, input.id, input.expectedRevision, ['active', 'revoked'])))
      throw new ApiError(
        release.status === 'active' ? 'revision_conflict' : 'conflict',
        `The release is ${release.status}, revision ${release.revision}.`,
        { details: { status: release.status, revision: release.revision } },
      )
    return { id: input.id, status: 'revoked' as const, revision: input.expectedRevision + 1 }
  },
})
