import { ApiError } from '#lib/errors.ts'
import { type ApprovalTerms, termsOf } from '#lib/rules/approval-terms.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { refuse } from '#server/kernel/operation.ts'
import { hasMade } from '../question-store.ts'
import { type ApprovalRow, findGroupNames, lockApproval } from '../store.ts'
import { findRevision, setRevised } from './revision-store.ts'

type Row = NonNullable<ApprovalRow>

/** Whether a request that a reviewer wants changed can still be followed by another one. */
export async function waitsForChanges(tx: Transaction, tenantId: string, approvalId: string): Promise<boolean> {
  const approval = await lockApproval(tx, tenantId, approvalId)
  if (approval?.status !== 'canceled' || approval.expired) return false
  const revision = await findRevision(tx, tenantId, approvalId)
  return revision !== undefined && revision.nextId === null
}

/**
 * A request of which a reviewer wants changes, and that the caller has made, locked. Undefined if it does not exist. Throws 403
 * `not_eligible` for others, and 409 `conflict` if no changes are wanted, others have followed, or the deadline has passed.
 */
export async function lockForChanges(
  tx: Transaction,
  tenant: Tenant,
  { memberId }: Principal,
  approvalId: string,
): Promise<Row | undefined> {
  const approval = await lockApproval(tx, tenant.id, approvalId)
  if (approval === undefined) return undefined
  await requireBound(tx, tenant.id, 'approval', [approvalId])
  await requireBound(tx, tenant.id, 'approval_revision', [approvalId])
  if (!hasMade(approval, memberId))
    throw refuse('not_eligible', 'Only those who made this request can propose other arguments.')
  const revision = await findRevision(tx, tenant.id, approvalId)
  if (revision === undefined) throw new ApiError('conflict', 'No one has requested changes to this request.')
  if (revision.nextId !== null)
    throw new ApiError('conflict', 'Other arguments have been proposed already.', {
      details: { approvalId: revision.nextId },
    })
  if (approval.expired) throw new ApiError('conflict', 'The deadline of this request has passed.')
  return approval
}

/** Notes which request followed. The caller has locked the one before with lockForChanges. */
export async function supersede(
  tx: Transaction,
  tenantId: string,
  approvalId: string,
  next: { nextId: string; revisedBy: string },
): Promise<void> {
  if (!(await setRevised(tx, tenantId, approvalId, next)))
    throw new ApiError('conflict', 'Other arguments have been proposed already.')
}

/** Who had to decide the request, for one that follows without a rule of its own. */
export async function termsBefore(tx: Transaction, tenantId: string, approval: Row): Promise<ApprovalTerms> {
  const { terms, groupId, quorum, requestedAt, expiresAt } = approval
  const seconds = Math.max(60, Math.round((expiresAt.getTime() - requestedAt.getTime()) / 1000))
  if (terms === undefined) {
    const [group] = await findGroupNames(tx, tenantId, [groupId])
    return termsOf([{ group: group?.name ?? '', quorum }], { expiresAfterSeconds: seconds })
  }
  const { stages, remindAt, escalateAfterSeconds, pauseOnQuestion, expiresAfterSeconds } = terms
  return termsOf(
    stages.map((stage) => ({ group: stage.group, quorum: stage.quorum })),
    { expiresAfterSeconds, remindAt, escalateAfterSeconds: escalateAfterSeconds ?? undefined, pauseOnQuestion },
  )
}
