import { ApiError, notFound } from '#lib/errors.ts'
import type { JsonValue } from '#lib/json.ts'
import { micros } from '#lib/rules/cost.ts'
import { type GrantTerms, ProposeGrantInput, ProposeGrantOutput } from '#lib/schemas/approvals/grants.ts'
import { requestApproval } from '#server/approvals/request.ts'
import { findGroupNames } from '#server/approvals/store.ts'
import { requireNewProcesses } from '#server/kernel/db/older-processes.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { grantPresentation, maskedArguments } from './presentation.ts'
import { simulateGrant } from './simulate.ts'
import { findSource, type Source, whyNotPropose } from './source.ts'
import { hasOpenGrant, insertGrant } from './store.ts'
import { requireUntil, rulesOf } from './terms.ts'

/** Proposals wait for at most a week. */
const longestSeconds = 7 * 86_400

/**
 * Proposes that calls like an approved one need no person for a time. A second member of the same group decides it with
 * approvals.decide; neither may be the requester, the agent's owner or the other one under another account.
 */
export const propose = mutation({
  permission: 'approval:decide',
  input: ProposeGrantInput,
  output: ProposeGrantOutput,
  audit: (input, output) => ({
    action: 'standing_grant.proposed',
    resource: { type: 'standing_grant', id: output?.grantId ?? 'none' },
    reason: input.reason,
    details: {
      sourceId: input.approvalId,
      approvalId: output?.approvalId,
      uses: input.terms.uses,
      until: input.terms.until,
      simulation: output && simulated(output.simulation),
    },
  }),
  async run({ tx, tenant, principal, input: { approvalId: sourceId, terms } }) {
    await requireNewProcesses(tx, 'standing grants')
    const found = await findSource(tx, tenant, sourceId)
    if (found === undefined) throw notFound()
    const { approval, source } = found
    const blocked = await whyNotPropose(tx, tenant, principal, approval, source)
    if (source?.release === undefined || blocked !== undefined)
      throw refuse('not_eligible', blocked ?? 'The release of this call is no longer active.')
    if (await hasOpenGrant(tx, tenant.id, sourceId))
      throw new ApiError('conflict', 'A standing grant from this request is already proposed or active.')
    const now = new Date()
    const untilAt = requireUntil(terms, now)
    const rules = rulesOf(terms, source.arguments, maskedArguments(source))
    const simulation = await simulateGrant(tx, tenant.id, sourceId, terms, rules)
    const [group] = await findGroupNames(tx, tenant.id, [approval.groupId])
    if (group === undefined) throw new Error('A request has a group.')

    const grantId = newId()
    const { approvalId } = await requestApproval(tx, tenant, {
      kind: 'standing_grant',
      subjectId: grantId,
      payload: {
        tenant: tenant.externalId,
        release: source.release.digest,
        environment: source.environment,
        action: 'StandingGrant',
        resource: source.resource,
        arguments: { rules: rules.map((rule) => ({ ...rule })) as JsonValue, ...boundTerms(terms), source: sourceId },
        policyVersion: source.policies.map(({ name, version, digest }) => ({ name, version, digest })),
        requester: principal.memberId,
      },
      presentation: grantPresentation(source, { terms, rules, simulation }),
      agentId: source.agentId,
      requestedBy: principal.memberId,
      agents: [source.agentId],
      parties: approval.identities.map(({ personId, link, role }) => ({
        memberId: personId,
        link,
        role: role ?? 'asked for the call',
      })),
      group: group.name,
      quorum: 1,
      expiresAfterSeconds: Math.min(longestSeconds, Math.ceil((untilAt.getTime() - now.getTime()) / 1000)),
    })
    await insertGrant(tx, {
      tenantId: tenant.id,
      id: grantId,
      sourceId,
      approvalId,
      ...grantColumns(source, source.release.id),
      groupId: approval.groupId,
      proposedBy: principal.memberId,
      maxUses: terms.uses,
      currency: rules.find((rule) => rule.is === 'amount')?.currency ?? null,
      maxMicros: terms.ceiling === undefined ? null : Number(micros(terms.ceiling.total)),
      untilAt,
    })
    return { grantId, approvalId, status: 'proposed' as const, simulation }
  },
})

const boundTerms = ({ uses, until, ceiling }: GrantTerms) => ({
  uses,
  until,
  ...(ceiling !== undefined && { total: ceiling.total }),
})

const grantColumns = ({ agentId, environment, resource, policies }: Source, releaseId: string) => ({
  agentId,
  releaseId,
  environment,
  resource,
  policies,
})

const simulated = ({ requests, matched, approved, rejected }: ProposeGrantOutput['simulation']) => ({
  requests,
  matched,
  approved,
  rejected,
})
