import type { Presentation } from '#lib/schemas/approvals.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { mailApprovers } from '#server/mail/approval-request.ts'

/** Notifies the people among the eligible `members` of a request; `escalated`: after an escalation. */
export const tellApprovers = (
  tx: Transaction,
  tenant: Tenant,
  { id, presentation, expiresAt }: { id: string; presentation: Presentation; expiresAt: Date },
  members: readonly { id: string; kind: string; email: string | null }[],
  escalated = false,
): Promise<void> =>
  mailApprovers(tx, tenant, {
    approvalId: id,
    title: presentation.title,
    agentName: presentation.agent?.displayName,
    environment: presentation.environment,
    expiresAt,
    escalated,
    people: members.filter((member) => member.kind === 'person'),
  })
