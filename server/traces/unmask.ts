import { notFound } from '#lib/errors.ts'
import type { Presentation } from '#lib/schemas/approvals.ts'
import { UnmaskInput, UnmaskOutput } from '#lib/schemas/traces.ts'
import { requestApproval } from '#server/approvals/request.ts'
import type { OnDecided } from '#server/approvals/subjects.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation } from '#server/kernel/operation.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { insertGrant, setGrantDecided } from '#server/traces/unmasking/unmask-store.ts'
import { findTrace } from './store.ts'

const grantSeconds = 15 * 60
const approvalSeconds = 24 * 3600

/**
 * Grants the caller fifteen minutes to see masked values of one trace, after a second person's approval if the tenant
 * requires it.
 */
export const unmask = mutation({
  permission: 'trace:unmask',
  justified: true,
  input: UnmaskInput,
  output: UnmaskOutput,
  audit: (input, output) => ({
    action: output?.status === 'active' ? 'trace.unmask_granted' : 'trace.unmask_requested',
    resource: { type: 'trace', id: input.traceId },
    reason: input.justification,
    details: {
      purpose: input.purpose,
      fields: input.fields,
      grantId: output?.grantId,
      approvalId: output?.approvalId,
    },
  }),
  async run({ tx, tenant, principal, input }) {
    const trace = await findTrace(tx, tenant.id, input.traceId)
    if (trace === undefined) throw notFound()
    const grantId = newId()
    const second = settingsOf(tenant).unmaskSecondPerson === 'required'
    const approvalId = second
      ? (
          await requestApproval(tx, tenant, {
            kind: 'unmask',
            subjectId: grantId,
            payload: {
              tenant: tenant.externalId,
              release: null,
              environment: null,
              action: 'trace.unmask',
              resource: `trace/${input.traceId}`,
              arguments: { fields: input.fields ?? null, purpose: input.purpose, justification: input.justification },
              policyVersion: null,
              requester: principal.memberId,
            },
            presentation: presentationOf(trace.name, input, principal.displayName),
            requestedBy: principal.memberId,
            agents: [],
            group: 'change-approvers',
            quorum: 1,
            expiresAfterSeconds: approvalSeconds,
          })
        ).approvalId
      : null
    const status = second ? ('pending' as const) : ('active' as const)
    const { expiresAt } = await insertGrant(tx, {
      tenantId: tenant.id,
      id: grantId,
      traceId: input.traceId,
      memberId: principal.memberId,
      fields: input.fields ?? null,
      purpose: input.purpose,
      justification: input.justification,
      status,
      approvalId,
      lastsSeconds: second ? null : grantSeconds,
    })
    return { grantId, status, expiresAt: expiresAt?.toISOString() ?? null, approvalId }
  },
})

/** The fifteen minutes begin with the approval. */
export const unmaskDecided: OnDecided = async (tx, tenant, approval) => {
  const approved = approval.status === 'approved'
  const lastsSeconds = approved ? grantSeconds : null
  const grant = await setGrantDecided(tx, tenant.id, approval.subjectId, approved ? 'active' : 'rejected', lastsSeconds)
  if (grant === undefined) return
  await appendAudit(tx, tenant, {
    actor: systemActor,
    action: approved ? 'trace.unmask_granted' : 'trace.unmask_rejected',
    resource: { type: 'trace', id: grant.traceId },
    details: { grantId: grant.id, memberId: grant.memberId, approvalId: approval.id },
  })
}

function presentationOf(
  traceName: string,
  {
    traceId,
    fields,
    purpose,
    justification,
  }: { traceId: string; fields?: string[] | undefined; purpose: string; justification: string },
  who: string,
): Presentation {
  return {
    title: `Show ${who} sensitive values of the trace ${traceName}`,
    effectLabel: 'showing unmasked values',
    verb: 'Unmask',
    effects: [
      `${who} can read ${fields === undefined ? 'every masked value' : `the values of ${fields.join(', ')}`} of this trace for 15 minutes.`,
      'Each time, the audit log records who read the values, and the trace lists it.',
    ],
    onReject: 'The values stay masked.',
    onExpiry: 'The request expires and counts as rejected.',
    onEscalate: 'The escalation group decides instead.',
    reversible: false,
    irreversibleNote: 'Values that have been read can’t be hidden again.',
    risk: 'high',
    action: 'trace.unmask',
    resource: `trace/${traceId}`,
    environment: null,
    arguments: [
      { path: 'purpose', value: purpose },
      { path: 'justification', value: justification },
      { path: 'fields', value: fields ?? 'all' },
    ],
    agent: null,
    policy: null,
    executionId: null,
    traceId,
    position: null,
    subject: null,
  }
}
