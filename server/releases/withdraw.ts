import { ApiError, notFound } from '#lib/errors.ts'
import { EndReleaseInput, EndReleaseOutput } from '#lib/schemas/agents.ts'
import { cancelRequest, holdRequest } from '#server/approvals/cancel-request.ts'
import { mutation } from '#server/kernel/operation.ts'
import { findRelease, setReleaseEnded } from './store.ts'

/** proposed → withdrawn: its approval is canceled and can no longer be decided. */
export const withdraw = mutation({
  permission: 'release:propose',
  input: EndReleaseInput,
  output: EndReleaseOutput,
  audit: (input) => ({
    action: 'release.withdrawn',
    resource: { type: 'release', id: input.id },
    reason: input.reason,
  }),
  async run({ tx, tenant, input, auditId }) {
    const seen = await findRelease(tx, tenant.id, input.id)
    if (seen === undefined) throw notFound()
    await holdRequest(tx, tenant.id, seen.approvalId)
    const release = (await findRelease(tx, tenant.id, input.id)) ?? seen
    if (!(await setReleaseEnded(tx, tenant.id, input.id, input.expectedRevision, ['proposed', 'withdrawn'])))
      throw new ApiError(
        release.status === 'proposed' ? 'revision_conflict' : 'conflict',
        `The release is ${release.status}, revision ${release.revision}.`,
        { details: { status: release.status, revision: release.revision } },
      )
    // After the release: it is no longer proposed, so the end of its approval does not change it.
    await cancelRequest(tx, tenant, release.approvalId, auditId)
    return { id: input.id, status: 'withdrawn' as const, revision: input.expectedRevision + 1 }
  },
})
