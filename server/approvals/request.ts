import type { JsonObject } from '#lib/json.ts'
import { type ApprovalTerms, stagesOf, stagesText, termsOf } from '#lib/rules/approval-terms.ts'
import { type ApprovalKind, Presentation } from '#lib/schemas/approvals.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { newSalt } from '#server/kernel/content/salt.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { olderProcesses } from '#server/kernel/db/older-processes.ts'
import { newId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tellChannels } from '#server/notifications/tell-channels.ts'
import { groupsOf, type StageGroups } from '#server/tenants/approvers/approvable.ts'
import { requireEligibleStages } from '#server/tenants/approvers/eligible.ts'
import { identitiesBehind, type Party } from '#server/tenants/identities.ts'
import { findMembers } from '#server/tenants/store.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { enqueueNextMoment } from './clock/moments.ts'
import { expiryQueue } from './jobs.ts'
import { findOwnerIds } from './owner-store.ts'
import { bindsShown, payloadDigestOf, saltedPayload } from './payload-digest.ts'
import { isStrict } from './reviewer.ts'
import { insertApproval } from './store.ts'
import { tellApprovers } from './telling/tell-approvers.ts'
import { insertTerms } from './terms/terms-store.ts'
import { insertWords } from './words/words-store.ts'

export type ApprovalRequest = {
  kind: ApprovalKind
  subjectId: string
  /** The content that the decision binds, by the digest of its JCS form with a salt. */
  payload: JsonObject
  presentation: Presentation
  /** Undefined for a change that does not concern an agent. */
  agentId?: string
  executionId?: string
  stepId?: string
  decisionId?: string
  requestedBy: string
  /** The agents that the request concerns: their owners count as the requester, like the people behind a service account. */
  agents: readonly string[]
  /** Members who would benefit from the request; they also count as the requester. */
  parties?: readonly Party[]
} & ApprovalTerms

/** Requests a decision from a group. Throws `no_eligible_approver` (409) when fewer members than the quorum are eligible. */
export async function requestApproval(
  tx: Transaction,
  tenant: Tenant,
  { presentation: described, ...request }: ApprovalRequest,
): Promise<{ approvalId: string; payloadDigest: string; expiresAt: Date }> {
  const presentation = asRead(described)
  const terms = termsIn(request)
  const stages = await groupsOf(tx, tenant.id, stagesOf(terms))
  const owners = await findOwnerIds(tx, tenant.id, request.agents)
  const identities = await identitiesBehind(tx, tenant.id, { ...request, owners })
  const inPerson = isStrict(request)
  const eligible = await requireEligibleStages(tx, inPerson ? strictly(tenant) : tenant, stages, identities)

  const approvalId = newId()
  const form = (await olderProcesses(tx)) ? undefined : bindsShown
  const payload = saltedPayload(request.payload, { salt: newSalt(), form })
  const payloadDigest = payloadDigestOf(payload, presentation)
  const [{ group }] = stages
  const { kind, subjectId, agentId, executionId, stepId, decisionId, requestedBy } = request
  const { expiresAt } = await insertApproval(tx, {
    tenantId: tenant.id,
    id: approvalId,
    kind,
    subjectId,
    payload,
    payloadDigest,
    presentation,
    agentId: agentId ?? null,
    executionId: executionId ?? null,
    stepId: stepId ?? null,
    decisionId: decisionId ?? null,
    requestedBy,
    identities,
    groupId: group.id,
    quorum: stages.reduce((sum, { quorum }) => sum + quorum, 0),
    expiresAfterSeconds: terms.expiresAfterSeconds,
  })
  await insertWords(tx, tenant.id, approvalId, presentation)
  if (hasCourse(terms)) await insertCourse(tx, tenant, { approvalId, expiresAt }, stages, terms)
  const [requester] = await findMembers(tx, tenant.id, [request.requestedBy])
  await appendAudit(tx, tenant, {
    actor: {
      type: requester?.kind === 'person' ? 'person' : 'service_account',
      id: request.requestedBy,
      name: requester?.username ?? 'unknown',
    },
    action: 'approval.requested',
    resource: { type: 'approval', id: approvalId },
    details: {
      kind: request.kind,
      subjectId: request.subjectId,
      payloadDigest,
      group: group.name,
      quorum: terms.quorum,
      ...(terms.later !== undefined && { later: stagesText(terms.later) }),
    },
  })
  await runtime().queue.enqueue(tx, expiryQueue, { tenantId: tenant.id, id: approvalId }, expiresAt)
  await tellChannels(tx, tenant.id, 'approval.requested', approvalId)
  const told = {
    id: approvalId,
    kind,
    executionId: executionId ?? null,
    requestedBy,
    presentation,
    expiresAt,
    identities,
    inPerson,
  }
  await tellApprovers(tx, tenant, told, eligible)
  notify(tx, 'approval', tenant.id)
  return { approvalId, payloadDigest, expiresAt }
}

const strictly = (tenant: Tenant): Tenant => ({
  ...tenant,
  settings: { ...settingsOf(tenant), separationOfDuties: 'required', machineDecisions: 'off' },
})

/** As it is read later, because its digest is recomputed then. A tool's description may contain lone surrogates, which get lost. */
const asRead = (presentation: Presentation): Presentation =>
  Presentation.parse(
    JSON.parse(JSON.stringify(presentation), (_key, value: unknown) =>
      typeof value === 'string' ? value.toWellFormed() : value,
    ),
  )

const termsIn = (request: ApprovalTerms): ApprovalTerms => termsOf(stagesOf(request), request)

/** Whether the request needs more than its row says: stages, a pause, or moments before its end. */
const hasCourse = ({ later, remindAt, escalateAfterSeconds, pauseOnQuestion }: ApprovalTerms): boolean =>
  later !== undefined || remindAt !== undefined || escalateAfterSeconds !== undefined || pauseOnQuestion === true

async function insertCourse(
  tx: Transaction,
  tenant: Tenant,
  { approvalId, expiresAt }: { approvalId: string; expiresAt: Date },
  stages: StageGroups,
  terms: ApprovalTerms,
): Promise<void> {
  const named = stages.map(({ group, quorum }) => ({ groupId: group.id, group: group.name, quorum }))
  await insertTerms(tx, tenant.id, approvalId, named, terms)
  await enqueueNextMoment(tx, tenant.id, { id: approvalId, expiresAt }, { ...terms, passed: [] })
}
