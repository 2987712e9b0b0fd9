import { notFound } from '#lib/errors.ts'
import { OpenInput, OpenOutput } from '#lib/schemas/approvals/reading.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import { mutation } from '#server/kernel/operation.ts'
import { findApproval } from '../store.ts'
import { openedAction, readingOf, readingSince } from './reading.ts'

/** Records when a reviewer first had a request before them, if the tenant requires a time to read it. Later calls change nothing. */
export const open = mutation({
  permission: 'approval:decide',
  input: OpenInput,
  output: OpenOutput,
  audit: ({ approvalId }, output) =>
    output !== undefined && output.auditId !== null
      ? {
          action: openedAction,
          resource: { type: 'approval', id: approvalId },
          details: { seconds: output.reading?.seconds },
        }
      : undefined,
  async run({ tx, tenant, principal, auditId, input: { approvalId } }) {
    const approval = await findApproval(tx, tenant.id, approvalId)
    await requireBound(tx, tenant.id, 'approval', [approvalId])
    if (approval === undefined) throw notFound()
    const reading = await readingOf(tx, { tenant, principal }, approval)
    if (reading === null || reading.openedAt !== null || approval.status !== 'pending')
      return { approvalId, reading, auditId: null }
    const now = await databaseClock(tx)
    return { approvalId, reading: readingSince(reading.seconds, now()), auditId }
  },
})
