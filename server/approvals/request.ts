import { ApiError } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { permissionsOf } from '#lib/permissions.ts'
import { type ApprovalKind, Presentation } from '#lib/schemas/approvals.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { newSalt } from '#server/kernel/content/salt.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { olderProcesses } from '#server/kernel/db/older-processes.ts'
import { newId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findGroup, findGroupMembers } from '#server/tenants/group-store.ts'
import {
  type Identity,
  identitiesBehind,
  linkTo,
  type Party,
  type Selves,
  selvesOf,
} from '#server/tenants/identities.ts'
import { findMembers } from '#server/tenants/store.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { expiryQueue } from './jobs.ts'
import { findOwnerIds } from './owner-store.ts'
import { bindsShown, payloadDigestOf, saltedPayload } from './payload-digest.ts'
import { insertApproval } from './store.ts'
import { tellApprovers } from './tell-approvers.ts'

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
  group: string
  quorum: number
  expiresAfterSeconds: number
}

/** Requests a decision from a group. Throws `no_eligible_approver` (409) when fewer members than the quorum are eligible. */
export async function requestApproval(
  tx: Transaction,
  tenant: Tenant,
  { presentation: described, ...request }: ApprovalRequest,
): Promise<{ approvalId: string; payloadDigest: string; expiresAt: Date }> {
  const presentation = asRead(described)
  const group = await findGroup(tx, tenant.id, request.group)
  if (group === undefined)
    throw new ApiError('no_eligible_approver', `The approver group ${request.group} does not exist.`)
  const owners = await findOwnerIds(tx, tenant.id, request.agents)
  const identities = await identitiesBehind(tx, tenant.id, { ...request, owners })
  const eligible = await requireEligible(tx, tenant, group, identities, request.quorum)

  const approvalId = newId()
  const form = (await olderProcesses(tx)) ? undefined : bindsShown
  const payload = saltedPayload(request.payload, { salt: newSalt(), form })
  const payloadDigest = payloadDigestOf(payload, presentation)
  const {
    agents: _agents,
    parties: _parties,
    group: _group,
    agentId,
    executionId,
    stepId,
    decisionId,
    ...row
  } = request
  const { expiresAt } = await insertApproval(tx, {
    ...row,
    tenantId: tenant.id,
    id: approvalId,
    payload,
    payloadDigest,
    presentation,
    agentId: agentId ?? null,
    executionId: executionId ?? null,
    stepId: stepId ?? null,
    decisionId: decisionId ?? null,
    identities,
    groupId: group.id,
  })
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
      quorum: request.quorum,
    },
  })
  await runtime().queue.enqueue(tx, expiryQueue, { tenantId: tenant.id, id: approvalId }, expiresAt)
  await tellApprovers(tx, tenant, { id: approvalId, presentation, expiresAt, identities }, eligible)
  notify(tx, 'approval', tenant.id)
  return { approvalId, payloadDigest, expiresAt }
}

/** As it is read later, because its digest is recomputed then. A tool's description may contain lone surrogates, which get lost. */
const asRead = (presentation: Presentation): Presentation =>
  Presentation.parse(
    JSON.parse(JSON.stringify(presentation), (_key, value: unknown) =>
      typeof value === 'string' ? value.toWellFormed() : value,
    ),
  )

/**
 * The eligible members of the group. Throws `no_eligible_approver` when they are fewer people than `quorum`. `requestedAt`: when
 * the request was made, if not now.
 */
export async function requireEligible(
  tx: Transaction,
  tenant: Tenant,
  group: { id: string; displayName: string },
  identities: readonly Identity[],
  quorum: number,
  requestedAt?: Date,
): Promise<{ id: string; kind: string; email: string | null }[]> {
  const settings = settingsOf(tenant)
  const required = settings.separationOfDuties === 'required'
  const able = (await findGroupMembers(tx, tenant.id, group.id)).filter(
    (member) =>
      (member.kind === 'person' || settings.machineDecisions === 'on') &&
      permissionsOf(member.roles).has('approval:decide'),
  )
  const ids = able.map(({ id }) => id)
  const selves = await selvesOf(tx, tenant.id, ids)
  const eligible = able.filter(
    ({ id }) => !required || linkTo(id, selves(id), identities, requestedAt ?? new Date()) === undefined,
  )
  const people = required
    ? countPeople(
        eligible.map(({ id }) => id),
        selves,
      )
    : eligible.length
  if (people < quorum)
    throw new ApiError(
      'no_eligible_approver',
      `Not enough eligible members in ${group.displayName}: ${quorum} required, ${people} eligible.`,
    )
  return eligible
}

/** How many of these members can vote as different people: members who count as one person have one vote. */
function countPeople(memberIds: readonly string[], selves: (memberId: string) => Selves): number {
  const counted: string[] = []
  for (const id of memberIds) {
    const { people, counterparts } = selves(id)
    const same = (other: string) =>
      selves(other).people.some((person) => people.includes(person)) ||
      counterparts.some(({ memberId, until }) => until === undefined && selves(other).people.includes(memberId))
    if (!counted.some(same)) counted.push(id)
  }
  return counted.length
}
