import { ApiError, notFound } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import type { Presentation } from '#lib/schemas/approvals.ts'
import { type AuditDetails, appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { ProposalEnd } from '#server/kernel/db/end-proposal.ts'
import type { MutationContext } from '#server/kernel/operation.ts'
import { cancelRequest, holdRequest } from './cancel-request.ts'
import { requestApproval } from './request.ts'
import type { OnDecided } from './subjects.ts'

// The life cycle shared by everything that takes effect only with the approval of change-approvers:
// proposed → active → superseded | revoked; proposed → rejected | withdrawn.

/** What members can end themselves, by withdrawing a proposal or revoking an active one. A store provides the functions. */
type Endable = {
  noun: string
  find(tx: Transaction, tenantId: string, id: string): Promise<Found | undefined>
  setEnded(tx: Transaction, tenantId: string, id: string, revision: number, end: ProposalEnd): Promise<boolean>
}

/** A kind of proposal. Its store provides the functions; `Row` is a proposal after its decision. */
export type Proposal<Row extends { id: string }, Old extends { id: string }> = Endable & {
  /** The kind of its approvals, the type in its audit records and the prefix of their actions. */
  kind: 'release' | 'policy_binding'
  /** When two proposals for the same target are approved concurrently, the second waits for the first to commit. */
  lockPlaceOf(tx: Transaction, tenantId: string, id: string): Promise<void>
  /** Supersedes the active ones for the target of a proposal that is still proposed. */
  supersedeFor(tx: Transaction, tenantId: string, id: string): Promise<Old[]>
  /** proposed → `status`. Undefined when it is no longer proposed. */
  setDecided(tx: Transaction, tenantId: string, id: string, status: Decided): Promise<Row | undefined>
  /** Additional effects of becoming active. */
  activated?(tx: Transaction, tenantId: string, row: Row): Promise<void>
  /** The target, for audit records. */
  placeOf(row: Row): AuditDetails
  detailsOf(row: Row, superseded: readonly Old[]): AuditDetails
  detailsOfSuperseded?(old: Old): AuditDetails
}

type Found = { status: string; revision: number; approvalId: string }
type Decided = 'active' | 'rejected' | 'withdrawn'
type End = { id: string; expectedRevision: number }
type EndContext = Pick<MutationContext<End>, 'tx' | 'tenant' | 'input' | 'auditId'>

const ttlSeconds = 7 * 86_400

/** Requests a decision on a proposal from change-approvers. Throws `no_eligible_approver` (409). */
export async function requestProposal(
  tx: Transaction,
  tenant: Tenant,
  {
    presentation,
    bound: { release, arguments: args, policyVersion },
    ...request
  }: {
    kind: 'release' | 'policy_binding'
    subjectId: string
    presentation: Presentation
    agentId: string | undefined
    agents: readonly string[]
    requestedBy: string
    /** What the decision binds in addition to members of the presentation. */
    bound: { release: string | null; arguments: JsonObject; policyVersion: number | null }
  },
): Promise<string> {
  const { environment, action, resource } = presentation
  const { approvalId } = await requestApproval(tx, tenant, {
    ...request,
    payload: {
      tenant: tenant.externalId,
      release,
      environment,
      action,
      resource,
      arguments: args,
      policyVersion,
      requester: request.requestedBy,
    },
    presentation,
    group: 'change-approvers',
    quorum: 1,
    expiresAfterSeconds: ttlSeconds,
  })
  return approvalId
}

/** proposed → withdrawn: its approval is canceled and can no longer be decided. */
export async function withdrawProposal(proposal: Endable, context: EndContext) {
  const { tx, tenant, input, auditId } = context
  const seen = await requireFound(proposal, context)
  await holdRequest(tx, tenant.id, seen.approvalId)
  const found = (await proposal.find(tx, tenant.id, input.id)) ?? seen
  await end(proposal, context, found, ['proposed', 'withdrawn'])
  // After the proposal: it is no longer proposed, so the end of its approval does not change it.
  await cancelRequest(tx, tenant, found.approvalId, auditId)
  return { id: input.id, status: 'withdrawn' as const, revision: input.expectedRevision + 1 }
}

/** active → revoked. */
export async function revokeProposal(proposal: Endable, context: EndContext) {
  const { input } = context
  await end(proposal, context, await requireFound(proposal, context), ['active', 'revoked'])
  return { id: input.id, status: 'revoked' as const, revision: input.expectedRevision + 1 }
}

async function requireFound({ find }: Endable, { tx, tenant, input }: EndContext): Promise<Found> {
  const found = await find(tx, tenant.id, input.id)
  if (found === undefined) throw notFound()
  return found
}

async function end(
  { noun, setEnded }: Endable,
  { tx, tenant, input }: EndContext,
  { status, revision }: Found,
  change: ProposalEnd,
): Promise<void> {
  if (await setEnded(tx, tenant.id, input.id, input.expectedRevision, change)) return
  throw new ApiError(
    status === change[0] ? 'revision_conflict' : 'conflict',
    `The ${noun} is ${status}, revision ${revision}.`,
    { details: { status, revision } },
  )
}

/** The status of a proposal after each outcome of its approval. */
const outcomes = { approved: 'active', rejected: 'rejected', expired: 'rejected', canceled: 'withdrawn' } as const
const actions = { active: 'activated', rejected: 'rejected', withdrawn: 'withdrawn' } as const

/** Activates an approved proposal and supersedes the active ones for its target; any other outcome ends it. */
export const decideProposal =
  <Row extends { id: string }, Old extends { id: string }>(proposal: Proposal<Row, Old>): OnDecided =>
  async (tx, tenant, approval) => {
    const status = outcomes[approval.status]
    await proposal.lockPlaceOf(tx, tenant.id, approval.subjectId)
    const superseded = status === 'active' ? await proposal.supersedeFor(tx, tenant.id, approval.subjectId) : []
    const row = await proposal.setDecided(tx, tenant.id, approval.subjectId, status)
    // Withdrawn before the decision: the decision stays recorded but has no effect.
    if (row === undefined) return
    if (status === 'active') await proposal.activated?.(tx, tenant.id, row)
    const record = (id: string, action: string, details: AuditDetails) =>
      appendAudit(tx, tenant, {
        actor: systemActor,
        action: `${proposal.kind}.${action}`,
        resource: { type: proposal.kind, id },
        details: { ...proposal.placeOf(row), ...details },
      })
    for (const old of superseded)
      await record(old.id, 'superseded', { ...proposal.detailsOfSuperseded?.(old), by: row.id })
    await record(row.id, actions[status], { ...proposal.detailsOf(row, superseded), approvalId: approval.id })
  }
