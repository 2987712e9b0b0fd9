import { notFound } from '#lib/errors.ts'
import { RetryApprovalMailInput, RetryApprovalMailOutput } from '#lib/schemas/mail.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { retryMail } from '#server/mail/retry.ts'
import { findMail } from '#server/mail/store.ts'
import { findApproval } from '../store.ts'

/**
 * Sends a mail about a pending request again, after its delivery failed or its outcome is unknown. A mail with an unknown outcome
 * may have arrived, so neither the system itself nor a service account repeats it.
 */
export const retry = mutation({
  permission: 'input:manage',
  input: RetryApprovalMailInput,
  output: RetryApprovalMailOutput,
  audit: (input) => ({ action: 'mail.retried', resource: { type: 'mail', id: input.id }, reason: input.reason }),
  async run({ tx, tenant, principal, input }) {
    const mail = await findMail(tx, tenant.id, input.id)
    const approval = mail?.kind === 'approval_request' ? await findApproval(tx, tenant.id, mail.subjectId) : undefined
    if (approval === undefined) throw notFound()
    if (approval.status !== 'pending')
      throw refuse('conflict', `The request is ${approval.status}, so its mails can no longer be sent.`)
    const revision = await retryMail(tx, tenant, input.id, {
      expectedRevision: input.expectedRevision,
      by: principal.kind,
    })
    return { id: input.id, delivery: 'pending' as const, revision }
  },
})
