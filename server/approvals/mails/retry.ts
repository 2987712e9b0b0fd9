import { notFound } from '#lib/errors.ts'
import { RetryApprovalMailInput, RetryApprovalMailOutput } from '#lib/schemas/mail.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { retryMail } from '#server/mail/retry.ts'
import { findMail } from '#server/mail/store.ts'
import { findApproval } from '../store.ts'

/**
 * Tells a person once more of a request that is still open, where the mail failed or nobody knows what became of it. The
 * system itself never repeats an unknown one, nor does a service account: it may have arrived.
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
      throw refuse('conflict', `The request is ${approval.status}; there is nobody to tell any more.`)
    const revision = await retryMail(tx, tenant, input.id, {
      expectedRevision: input.expectedRevision,
      by: principal.kind,
    })
    return { id: input.id, delivery: 'pending' as const, revision }
  },
})
