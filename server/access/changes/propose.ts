import { ApiError } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import type { Presentation } from '#lib/schemas/approvals.ts'
import type { PendingChange } from '#lib/schemas/members.ts'
import { requestApproval } from '#server/approvals/request.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import type { Party } from '#server/tenants/identities.ts'
import { type ChangeKind, findProposed, insertChange } from './store.ts'

const proposalTtlSeconds = 7 * 86_400

export type Proposal = {
  kind: ChangeKind
  /** The member, group or tenant; the caller of proposeChange holds the lock of its row. */
  subjectId: string
  /** The change to apply on approval; the approval binds its digest. */
  change: JsonObject
  presentation: Presentation
  parties?: readonly Party[]
}

/**
 * Requests approval of a change from change-approvers. Throws 409 when a change of this kind is already waiting or no
 * member could approve it.
 */
export async function proposeChange(
  tx: Transaction,
  { tenant, principal }: { tenant: Tenant; principal: Principal },
  { kind, subjectId, change, presentation, parties = [] }: Proposal,
): Promise<PendingChange> {
  const [waiting] = await findProposed(tx, tenant.id, kind, [subjectId])
  if (waiting !== undefined)
    throw new ApiError('conflict', 'A change of this kind is already waiting for approval. Wait until it is decided.', {
      details: { approvalId: waiting.approvalId },
    })
  const changeId = newId()
  const { approvalId } = await requestApproval(tx, tenant, {
    kind,
    subjectId: changeId,
    payload: {
      tenant: tenant.externalId,
      release: null,
      environment: null,
      action: presentation.action,
      resource: presentation.resource,
      arguments: { subjectId, ...change },
      policyVersion: null,
      requester: principal.memberId,
    },
    presentation,
    requestedBy: principal.memberId,
    agents: [],
    parties,
    group: 'change-approvers',
    quorum: 1,
    expiresAfterSeconds: proposalTtlSeconds,
  })
  await insertChange(tx, {
    tenantId: tenant.id,
    id: changeId,
    kind,
    subjectId,
    change,
    approvalId,
    proposedBy: principal.memberId,
  })
  return { changeId, approvalId }
}
