import type { JsonObject } from '#lib/json.ts'
import type { ApprovalTerms } from '#lib/rules/approval-terms.ts'
import type { Presentation } from '#lib/schemas/approvals.ts'
import { requestApproval } from '#server/approvals/request.ts'
import type { Caller, Tenant } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** The group that decides. Reviewers of a test join it. */
export const approverGroup = 'refund-approvers'

/** The description of a refund on the approval page. */
export const presentation: Presentation = {
  title: 'Issue refund for A-1',
  effectLabel: 'refund',
  verb: 'Issue',
  effects: [],
  onReject: '',
  onExpiry: '',
  onEscalate: '',
  reversible: false,
  irreversibleNote: null,
  risk: 'high',
  action: 'ToolCall',
  resource: 'payments/issue_refund',
  environment: 'test',
  arguments: [],
  agent: null,
  policy: null,
  executionId: null,
  traceId: null,
  position: null,
  subject: null,
}

type Request = Partial<ApprovalTerms> & {
  risk?: Presentation['risk']
  payload?: JsonObject
  shows?: Partial<Presentation>
}

/** Requests approval of a refund from the group as `by`, in the current runtime, with the subject `tool_call`. */
export function askForRefund(tenant: Tenant, by: Caller, request: Request = {}): ReturnType<typeof requestApproval> {
  const { quorum = 1, expiresAfterSeconds = 3600, risk = presentation.risk, payload, shows, ...terms } = request
  return runtime().database.inTenant(tenant.id, (tx) =>
    requestApproval(tx, tenant, {
      kind: 'tool_call',
      subjectId: newId(),
      payload: payload ?? { action: 'ToolCall', risk, nonce: newId() },
      presentation: { ...presentation, risk, ...shows },
      agentId: newId(),
      requestedBy: by.principal.memberId,
      agents: [],
      group: approverGroup,
      ...terms,
      quorum,
      expiresAfterSeconds,
    }),
  )
}
